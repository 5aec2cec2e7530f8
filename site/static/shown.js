// What the page "plan" shows of plans: the curve of the expected error against the level, both axes logarithmic, with a
// table twin; and one plan with its certificate.
'use strict';
PrivBayes.curve = (() => {
  const { el } = PrivBayes;
  const short = (x) => Number(x.toPrecision(3)).toString();

  // points are [level, error] in the order of levels; level is the one to mark.
  return (svg, table, curve, level, symbol, measure) => {
    const w = 560, h = 300, left = 62, right = 12, top = 12, bottom = 44;
    const ns = 'http://www.w3.org/2000/svg';
    const s = (name, attributes, text) => {
      const e = document.createElementNS(ns, name);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
      if (text != null) e.textContent = text;
      return e;
    };
    const points = curve.filter((p) => p[1] > 0);
    svg.replaceChildren();
    svg.setAttribute('viewBox', `0 0 ${w} ${h}`);
    if (points.length < 2) {
      svg.setAttribute('aria-label', 'no curve: the error is not predicted');
      table.replaceChildren();
      return;
    }
    const x0 = Math.floor(Math.log10(points[0][0])), x1 = Math.ceil(Math.log10(points[points.length - 1][0]));
    const errors = points.map((p) => Math.log10(p[1]));
    let y0 = Math.floor(Math.min(...errors)), y1 = Math.ceil(Math.max(...errors));
    if (y0 === y1) y1++;
    const px = (v) => left + (w - left - right) * (Math.log10(v) - x0) / Math.max(1, x1 - x0);
    const py = (v) => top + (h - top - bottom) * (y1 - Math.log10(v)) / (y1 - y0);
    for (let k = y0; k <= y1; k++) {
      const y = py(10 ** k);
      svg.append(s('line', { x1: left, x2: w - right, y1: y, y2: y, class: 'pb-grid' }),
        s('text', { x: left - 6, y: y + 4, 'text-anchor': 'end' }, String(Number((10 ** k).toPrecision(1)))));
    }
    for (let k = x0; k <= x1; k++) {
      const x = px(10 ** k);
      svg.append(s('line', { x1: x, x2: x, y1: top, y2: h - bottom, class: 'pb-grid' }),
        s('text', { x, y: h - bottom + 18, 'text-anchor': 'middle' }, String(Number((10 ** k).toPrecision(1)))));
    }
    svg.append(s('text', { x: (left + w - right) / 2, y: h - 6, 'text-anchor': 'middle' }, `${symbol} (logarithmic)`));
    svg.append(s('text', { x: 14, y: (top + h - bottom) / 2, 'text-anchor': 'middle',
      transform: `rotate(-90 14 ${(top + h - bottom) / 2})` }, 'expected error'));
    svg.append(s('polyline', { points: points.map((p) => `${px(p[0])},${py(p[1])}`).join(' '), class: 'pb-line' }));
    const own = points.find((p) => p[0] === level);
    if (own) svg.append(s('circle', { cx: px(own[0]), cy: py(own[1]), r: 6, class: 'pb-here' }));
    const last = points[points.length - 1];
    svg.setAttribute('aria-label', `expected error of ${measure} against ${symbol}: from ` +
      `${short(points[0][1])} at ${points[0][0]} to ${short(last[1])} at ${last[0]}`);
    table.replaceChildren(
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, symbol), el('th', { scope: 'col' }, 'expected error'))),
      el('tbody', {}, ...points.map((p) => el('tr', {}, el('td', {}, String(p[0])), el('td', {}, short(p[1]))))));
  };
})();

PrivBayes.planned = (() => {
  const { el } = PrivBayes;
  return (box, p, digits) => {
    const rows = p.lines.map((l) => el('tr', {}, el('th', { scope: 'row' }, l.item), el('td', {}, l.value)));
    const head = [['mechanism', `${p.mechanism} (${p.choice})`], ['guarantee', p.certified],
      ['standard formula', p.textbook], ['expected error of ' + p.measure, p.error == null ? 'no formula' :
        `${digits(p.error)} (${p.how})`]].map(([a, b]) => el('tr', {}, el('th', { scope: 'row' }, a), el('td', {}, b)));
    const checks = el('ol', { class: 'pb-checks' }, ...p.checks.map((c) => el('li', {},
      el('p', { class: 'pb-statement' }, c.statement),
      el('p', {}, c.sentence, ' ', el('a', { href: `docs/reference/certificates.html#${c.anchor}` }, 'What this means')))));
    const open = box.querySelector('details')?.open;
    box.replaceChildren(
      ...(p.warnings || []).map((w) => el('p', { class: 'pb-warning' }, `Warning: ${w}`)),
      el('div', { class: 'pb-scroll' }, el('table', {}, el('tbody', {}, ...head, ...rows))),
      el('details', { id: 'plan-certificate', open }, el('summary', {}, `The certificate: ${p.checks.length} checks`),
        checks));
  };
})();
