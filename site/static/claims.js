// The filter of the table of claims. Without it the table is whole. The choice is in the address, to be passed on.
'use strict';
(() => {
  const $ = (id) => document.getElementById(`claims-${id}`);
  const rows = [...$('table').tBodies[0].rows].map((tr) => ({ tr, text: tr.textContent.toLowerCase() }));
  const names = ['text', 'document', 'verdict'];

  function filter() {
    const words = $('text').value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { tr, text } of rows) {
      const fits = words.every((w) => text.includes(w)) &&
        ['document', 'verdict'].every((n) => !$(n).value || tr.dataset[n] === $(n).value);
      tr.hidden = !fits;
      if (fits) shown++;
    }
    $('count').textContent = `${shown} of ${rows.length} claims`;
    const p = new URLSearchParams();
    for (const n of names) if ($(n).value) p.set(n, $(n).value);
    history.replaceState(null, '', p.size ? `#${p}` : location.pathname);
  }

  function follow() {
    const p = new URLSearchParams(location.hash.slice(1));
    for (const n of names) $(n).value = p.get(n) ?? '';
    filter();
  }

  $('filter').addEventListener('submit', (e) => e.preventDefault());
  for (const n of names) $(n).addEventListener('input', filter);
  window.addEventListener('hashchange', follow);
  follow();
})();
