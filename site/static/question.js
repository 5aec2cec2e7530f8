// The forms of the page "release" for the question, the privacy and the budget's limit. They are made from what the
// program says of its flags: a new flag, model or mechanism needs no line here.
'use strict';
PrivBayes.question = (() => {
  const { el } = PrivBayes;
  // what the models that are asked for most are, beside their names
  const about = { categorical: 'shares of one column', 'naive-bayes': 'one column, and all others given it',
    table: 'counts of all combinations of some columns', mean: 'mean of one column',
    quantiles: 'quantiles of one column', histogram: 'shares of the intervals of one column', cdf: 'shares up to each cut of one column' };
  const files = ['file', 'budget', 'release'];

  // cell is a part of a list, as a line of CSV has it.
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  // said are the words about a flag, without the list that its field is.
  function said({ words, choices }) {
    const short = choices ? words.replace(choices.join(', '), '').replace(/:\s*(?=\(|$)/, ' ') : words;
    return short.replaceAll('--', '').trim();
  }
  const option = (value, words = value) => el('option', { value }, words);

  function fieldOf(info, id) {
    const { type, choices, of } = info;
    if (choices) {
      return el('select', { id }, option('', `the usual${info.default ? `: ${info.default}` : ''}`),
        ...choices.map((c) => option(c, about[c] ? `${c}: ${about[c]}` : c)));
    }
    if (type === 'column') return el('select', { id });
    if (of === 'columns') return el('select', { id, multiple: true, size: 4 });
    if (type === 'bool') return el('input', { id, type: 'checkbox' });
    const number = type === 'float' || type === 'int';
    return el('input', { id, type: number ? 'number' : 'text', autocomplete: 'off', placeholder: info.default,
      ...number ? { min: 0, step: type === 'int' ? 1 : 'any' } : {} });
  }

  // form shows a field for each of some flags, in box or, but for the first ones, in more.
  return (flags, { prefix, first, box, more, values = {} }) => {
    const shown = flags.filter((f) => !files.includes(f.type)).sort((a, b) => rank(a) - rank(b));
    const fields = new Map(shown.map((info) => {
      const field = fieldOf(info, `${prefix}-${info.name}`);
      const words = el('small', { id: `${prefix}-${info.name}-words` }, said(info));
      field.setAttribute('aria-describedby', words.id);
      if (info.name in values) field.value = values[info.name];
      field.addEventListener('input', settle);
      const name = info.name.replaceAll('-', ' ');
      (first.includes(info.name) ? box : more).append(el('p', {}, el('label', { for: field.id }, name), field, words));
      return [info.name, { info, field }];
    }));

    function rank({ name }) {
      const at = first.indexOf(name);
      return at < 0 ? first.length : at;
    }
    const chosen = (field) => [...field.selectedOptions].map((o) => o.value);
    function valueOf({ info, field }) {
      if (field.disabled) return '';
      if (info.type === 'bool') return field.checked ? 'true' : '';
      return info.of === 'columns' ? chosen(field).map(cell).join(',') : field.value.trim();
    }

    // settle puts out of use what another field stands in place of, and the models that do not go with one.
    function settle() {
      for (const { field } of fields.values()) field.disabled = false;
      for (const f of fields.values()) {
        if (!valueOf(f)) continue;
        for (const name of f.info.in_place_of ?? []) if (fields.has(name)) fields.get(name).field.disabled = true;
      }
      const only = [...fields.values()].find((f) => f.info.models && valueOf(f))?.info.models;
      const model = fields.get('model')?.field;
      for (const o of model?.options ?? []) o.disabled = Boolean(only && o.value && !only.includes(o.value));
      if (model?.selectedOptions[0]?.disabled) model.value = '';
    }

    // columns sets the columns that there are; the first is asked about if none was.
    function columns(names) {
      for (const { info, field } of fields.values()) {
        if (info.type !== 'column' && info.of !== 'columns') continue;
        const before = chosen(field);
        field.replaceChildren(...field.multiple ? [] : [option('', 'none')], ...names.map((n) => option(n)));
        for (const o of field.options) o.selected = before.includes(o.value);
        if (info.name === 'target' && !chosen(field).some(Boolean) && names.length) field.value = names[0];
      }
      settle();
    }

    // args are the flags of a command line, but those that a command does not have.
    function args(takes) {
      settle();
      return [...fields.values()].filter((f) => takes.includes(f.info.name) && valueOf(f))
        .map((f) => `--${f.info.name}=${valueOf(f)}`);
    }
    settle();
    return { args, columns };
  };
})();
