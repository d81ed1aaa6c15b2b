// Secrets go, in each of their spellings; everything else stays as it is, and nothing makes it slow.
import { describe, expect, it } from 'vitest';
import { lineRedactor, redactor } from '../../../src/base/redaction/index.js';

const gone = '[redacted]';
const secret = 'pa"ss/w+ord ü?&=1';
const redact = redactor([secret, 'plain-secret-value', 'short', 'plain-secret']);

// Put together here, so that nothing that looks for keys in this repository finds these.
const key = (...parts: readonly string[]) => parts.join('');
const pem = (name: string) =>
  [
    `-----BEGIN ${name}-----`,
    ...Array.from({ length: 5 }, (_, i) => `MIIEvQIBADANBgkq${i}hkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ`),
    'c2hvcnQ=',
    `-----END ${name}-----`,
  ].join('\n');

describe('a known secret', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['in JSON with escaped slashes', JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
    ['in an address', encodeURIComponent(secret)],
    ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in an address in small letters', encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
  ])('is redacted, spelled %s', (_, spelled) => {
    expect(redact(`a ${spelled} b`)).toBe(`a ${gone} b`);
  });

  it.each(['', 'u', 'us', 'user:', 'a name: '])('is redacted in the base64 of a text that begins "%s"', (before) => {
    for (const after of ['', ' ', 'x.', ' and so on']) {
      const shown = redact(Buffer.from(`${before}plain-secret-value${after}`).toString('base64'));
      expect(shown).toContain(gone);
      expect(Buffer.from(shown.replaceAll(gone, ''), 'base64').toString()).not.toContain('ecret');
    }
  });

  it.each([
    ['6 characters', 'sixsix', false],
    ['7 characters', 'seven77', true],
    ['8 characters', 'eight888', true],
    ['7 characters and the end of its line', 'seven77\n', true],
    ['7 characters among blanks', '  seven77\t', true],
    ['6 characters and blanks', ' sixsix ', false],
  ])('of %s is redacted only if at least 7 characters long', (_, own, goes) => {
    expect(redactor([own])(`PASS=${own.trim()};`)).toBe(goes ? `PASS=${gone};` : `PASS=${own.trim()};`);
  });

  it('is redacted whole when another secret is its prefix', () => {
    expect(redact('plain-secret-value plain-secret')).toBe(`${gone} ${gone}`);
  });

  it('is redacted when a cut line ends inside it', () => {
    expect(redact('token=plain-secret-va')).toBe(`token=${gone}`);
    expect(redact('plain-s')).toBe('plain-s');
  });

  it.each(['…', '… (line cut)', '… (cut: 12 of 2012 characters are not shown)'])(
    'is redacted when it is cut off at "%s"',
    (sign) => {
      expect(redact(`token=plain-secret-va${sign}`)).toBe(`token=${gone}${sign}`);
      expect(redact(`a${sign} token=plain-secret-va`)).toBe(`a${sign} token=${gone}`);
      expect(redact(`token=plain-s${sign}`)).toBe(`token=plain-s${sign}`);
    },
  );

  it('is redacted when it was cut at either end before redaction', () => {
    const token = 'f49d3f9e0a1b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef01234588';
    const bare = redactor([token]);
    expect(bare(`the file must be a map, not "${token.slice(0, 60)}". Mend it.`)).toBe(
      `the file must be a map, not "${gone}". Mend it.`,
    );
    expect(bare(`…${token.slice(-20)} and ${token.slice(0, 12)}, ${token}`)).toBe(`…${gone} and ${gone}, ${gone}`);
    expect(bare(token.slice(0, 20) + token.slice(-20))).toBe(gone);
    expect(bare(token.slice(0, 8))).toBe(gone);
    const path = 'postgres://localhost:5432/a-database-of-somebody';
    expect(redactor([path])('postgres://localhost is up')).toBe('postgres://localhost is up');
  });

  it('is redacted when cut after a repetition of its own prefix', () => {
    const periodic = redactor(['abcdefgh-abcdefgh-abcdefgh-end']);
    expect(periodic('abcdefgh-x abcdefgh-abcdefgh-ab')).toBe(`abcdefgh-x ${gone}`);
    expect(periodic('x abcdefgh-abcdefgh-abcdefgh-end')).toBe(`x ${gone}`);
  });

  it('is kept when it is too short to be a secret', () => {
    expect(redact('short is not')).toBe('short is not');
  });

  it('of several lines is redacted line by line', () => {
    const two = redactor(['first line of the secret\nsecond line of the secret']);
    expect(two('second line of the secret')).toBe(gone);
  });
});

describe('a text that looks like a key', () => {
  it.each([
    key('sk-', 'ant-api03-AbCd_efGh-0123456789'),
    key('sk-', 'proj-AbCdefGh0123456789_AbCd'),
    key('sk-', 'AbCdefGh0123456789AbCdefGh'),
    key('sk_', 'live_AbCdefGh0123456789'),
    key('ghp_', 'AbCdefGh0123456789AbCdefGh0123456789'),
    key('gho_', 'AbCdefGh0123456789AbCdefGh0123456789'),
    key('github_pat_', '11ABCDEFG0abcdefghij_AbCdefGh0123456789'),
    key('glpat-', 'AbCd_efGh-0123456789'),
    ...['a', 'b', 'p', 'r', 's'].map((kind) => key('xox', kind, '-123456789012-AbCdefGh0123')),
    key('xapp-', '1-A0123456789-0123456789-abcdef'),
    key('123456', ':AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'),
    key('AKIA', 'IOSFODNN7EXAMPLE'),
    key('AIza', 'SyA1234567890abcdefghijklmnopqrstuv'),
    key('npm_', 'AbCdefGh0123456789AbCdefGh0123456789'),
    key('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'),
  ])('is redacted: %s', (text) => {
    expect(redact(`got ${text}, and on`)).toBe(`got ${gone}, and on`);
    expect(redact(`"${text}"`)).toBe(`"${gone}"`);
    expect(redact(`KEY=${text}`)).toBe(`KEY=${gone}`);
    expect(redact(`{"text":"it is\\n${text}\\n"}`)).toBe(`{"text":"it is\\n${gone}\\n"}`);
  });

  it.each([
    ['https://api.telegram.org/bot42:AAx_yz-0123456/getMe', `https://api.telegram.org/bot${gone}/getMe`],
    ['https://ada:s3cr3t@example.org/x', `https://ada:${gone}@example.org/x`],
    ['postgres://u:p@ss@db:5432/shop', `postgres://u:${gone}@db:5432/shop`],
    ['redis://:hunter22@10.0.0.1', `redis://:${gone}@10.0.0.1`],
    ['Authorization: Bearer abcdefgh', `Authorization: Bearer ${gone}`],
    ['{"authorization":"Basic YWRhOmxvdmVsYWNl"}', `{"authorization":"Basic ${gone}"}`],
    ["-H 'x-api-key: 0123456789abcdefgh'", `-H 'x-api-key: ${gone}'`],
    ['with bearer abcdefghijklmnop0123 it went', `with bearer ${gone} it went`],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', `aws_secret_access_key = ${gone}`],
  ])('is redacted in "%s"', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it.each(['RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])(
    'is redacted on all lines of a %s',
    (name) => {
      const text = `before\n${pem(name)}\nafter`;
      expect(redact(text)).toBe(`before\n${gone}\nafter`);
      expect(redact(JSON.stringify({ text }))).toBe(`{"text":"before\\n${gone}\\nafter"}`);
      expect(redact(`before\n${pem(name).split('\n').slice(0, 3).join('\n')}`)).toBe(`before\n${gone}`);
      const lines = lineRedactor(redact);
      const shown = text.split('\n').map((line) => lines.take(line));
      expect(shown).toEqual(['before', ...Array.from({ length: 8 }, () => gone), 'after']);
    },
  );

  it('is redacted when a text starts inside a private key', () => {
    const rest = pem('PRIVATE KEY').split('\n').slice(2).join('\n');
    expect(redact(`${rest}\nafter`)).toBe(`${gone}\nafter`);
    expect(redact(`before it\n${rest}\nafter`)).toBe(`before it\n${gone}\nafter`);
    expect(redact('a file that ends so:\n-----END PRIVATE KEY-----')).toContain('ends so:\n-----END');
  });

  it('is redacted when the lines of a private key are numbered', () => {
    const numbered = pem('PRIVATE KEY').split('\n');
    expect(redact(numbered.map((line, i) => `${i === 0 ? '' : `     ${i}→`}${line}`).join('\n'))).not.toContain('MIIE');
    const lines = lineRedactor(redact);
    expect(numbered.map((line, i) => lines.take(`     ${i + 1}→${line}`)).join('\n')).not.toContain('MIIE');
    expect(numbered.map((line) => lines.take(`[back-end] ${line}`)).join('\n')).not.toContain('MIIE');
  });
});

describe('ordinary text', () => {
  it.each([
    'commit a40b3e7c0ffee0123456789abcdef0123456789ab',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '123e4567-e89b-12d3-a456-426614174000',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
    'integrity: sha512-iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kg==',
    'task-management-of-the-whole-department',
    'class="sk-folding-cube sk-loading-indicator-of-the-page"',
    'disk-usage risk-AssessmentOfTheWholeProject',
    'http://localhost:3000/@scope/pkg@1.2.3 and npm:react@18',
    'git@github.com:org/repo.git ssh://git@github.com:22/org',
    'docker://alpine:3.19@sha256:9f86d081884c7d65',
    'postgres://user:$PASSWORD@host and https://user:<password>@host',
    ['Authorization: Bearer $', '{token} and Authorization: Bearer <token>'].join(''),
    'authorization: requireAdminAuthorizationMiddleware',
    'the bearer of responsibilities and authentication',
    'npm_config_registry npm_lifecycle_event npm_package_version',
    'eyJhbGciOiJIUzI1NiJ9 is a header',
    'at 2026-11-18T16:57:19.000Z 1700000000:AA took 12:30',
    "if (text.includes('-----BEGIN PRIVATE KEY-----')) refuse('-----END PRIVATE KEY-----');",
    'The file must begin with -----BEGIN RSA PRIVATE KEY-----, or it is refused.',
    '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
    'AKIA is a prefix; AIza another; ghp_ and xoxb- too; sk-ant- as well',
  ])('is kept: %s', (text) => {
    expect(redactor([])(text)).toBe(text);
    const lines = lineRedactor(redactor([]));
    expect(
      text
        .split('\n')
        .map((line) => lines.take(line))
        .join('\n'),
    ).toBe(text);
  });

  it('is kept after the header of a private key that is not there', () => {
    const lines = lineRedactor(redactor([]));
    const text = ['grep -----BEGIN PRIVATE KEY-----', 'no match, exit 1', 'done'];
    expect(text.map((line) => lines.take(line)).slice(1)).toEqual(text.slice(1));
  });
});

describe('redacting a megabyte', () => {
  const many = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length));
  it.each([
    ...['a', ' ', '-', '\n', '0', '=', '://a:', '://', 'eyJ', '-eyJ', 'eyJaaaaaaaa.', 'sk-', 'sk-ant-', 'ghp_a ', '1:'],
    ...[
      'bearer ',
      'authorization: ',
      'authorization:',
      '-----BEGIN PRIVATE KEY-----',
      '/bot1',
      'x@',
      'AKIA',
      '\\n',
      '%20',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----\nabc\n',
      'Version: a\n',
      '123456:AA ',
      'plain-secret',
      'plain-se',
      '[0m[',
      'api-key=',
    ],
  ])('of nothing but %j takes less than three seconds', (piece) => {
    const began = performance.now();
    redact(many(piece));
    const lines = lineRedactor(redact);
    lines.take(many(piece));
    // Many times what it takes; what grows with the square of the length takes minutes.
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
