// What the browser tests share: a server of files on loopback that can be closed, and Debian's Chromium.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const zlib = require('node:zlib');
const { chromium } = require('playwright-core');

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png',
  '.svg': 'image/svg+xml', '.json': 'application/json', '.woff2': 'font/woff2', '.gz': 'application/gzip' };

// serve gives { base, close } for a folder, on any free port if none is given; requests are kept in seen. Texts are zipped, as hosts of pages do.
function serve(root, port = 0) {
  const seen = [];
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    seen.push({ method: request.method, pathname });
    const file = path.join(root, path.normalize(decodeURIComponent(pathname)));
    fs.readFile(file.endsWith(path.sep) ? path.join(file, 'index.html') : file, (error, bytes) => {
      if (error) {
        response.writeHead(404).end();
        return;
      }
      const type = types[path.extname(file)] || 'application/octet-stream';
      const zipped = /^text|json|svg/.test(type);
      response.writeHead(200, { 'content-type': type, ...zipped && { 'content-encoding': 'gzip' } })
        .end(zipped ? zlib.gzipSync(bytes) : bytes);
    });
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve({
      base: `http://127.0.0.1:${server.address().port}/`,
      seen,
      close: () => new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
    }));
  });
}

function browser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-extensions'],
  });
}

// ready waits until a page that computes can.
const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.engine === 'ready');

module.exports = { serve, browser, ready };
