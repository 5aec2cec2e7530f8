// What leaves the page "plan" by its reader's hand: the link, the schema, the command, the Go code.
'use strict';
(() => {
  const { el } = PrivBayes;
  const $ = (id) => document.getElementById(id);

  for (const what of ['go', 'command']) {
    $(`plan-copy-${what}`).addEventListener('click', () => copy($(`plan-${what}`).textContent,
      what === 'go' ? 'The Go code is copied.' : 'The command is copied.'));
  }
  $('plan-copy-link').addEventListener('click', () => {
    Plan.link();
    copy(location.href, 'The link is copied.');
  });
  $('plan-save').addEventListener('click', () => {
    const a = el('a', { href: URL.createObjectURL(new Blob([JSON.stringify(Plan.described().schema, null, 1)])),
      download: Plan.file() || 'table.schema.json' });
    a.click();
  });
  async function copy(text, said) {
    try {
      await navigator.clipboard.writeText(text);
      $('plan-copied').textContent = said;
    } catch {
      $('plan-copied').textContent = 'The browser does not allow copying: mark the text and copy it.';
    }
  }
})();
