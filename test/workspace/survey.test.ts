import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { surveyFacts } from '../../src/engine/survey/survey-facts.js';
import { markEvidence, readEvidence, readSurvey, writtenAfter, writtenSince } from '../../src/workspace/index.js';
import { makeFolder, makeRepository, type Repository } from './repository.js';

const scratch = '.workflow/scratch';
const verify = {
  id: 'VRF-001',
  type: 'verify',
  milestone: 'MVP',
  phase: 1,
  scope: 'phase',
  path: 'phases/01-shop',
  status: 'completed',
};
const nowhere = { task: 'go on', phase: null, milestone: null };

function makeProject(
  files: Readonly<Record<string, string>> = {},
  artifacts: readonly object[] = [verify],
): Repository {
  const repository = makeRepository();
  const milestones = [{ id: 'M1', name: 'MVP', status: 'active', phases: [1] }];
  repository.write('.workflow/state.json', JSON.stringify({ current_milestone: 'MVP', milestones, artifacts }));
  repository.write('.workflow/roadmap.md', '# Roadmap');
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  return repository;
}

describe('the detection of source files', () => {
  it.each<[what: string, files: Readonly<Record<string, string>>, has: boolean]>([
    [
      'documents and hidden files',
      { 'README.md': '', LICENSE: '', 'docs/a.ts': '', 'idea.txt': '', '.github/x.yml': '', 'a/.env': '' },
      false,
    ],
    ['what Bosun writes', { 'README.md': '', 'workflow_state.json': '{}', 'progress.txt': '' }, false],
    ['a tracked source', { 'src/a.ts': '' }, true],
    ['a source called like a document', { 'src/readme-parser.ts': '' }, true],
  ])('counts source files, not documents or Bosun’s own files: %s', async (_what, files, has) => {
    expect((await readSurvey(makeRepository(files).root, '.workflow')).hasSources).toBe(has);
  });

  it('includes untracked files, but not ignored ones', async () => {
    const repository = makeRepository({ '.gitignore': 'out/\n' });
    repository.write('out/a.js', '');
    expect((await readSurvey(repository.root, '.workflow')).hasSources).toBe(false);
    repository.write('main.go', '');
    expect((await readSurvey(repository.root, '.workflow')).hasSources).toBe(true);
  });

  it('looks at the project, not at the surrounding repository', async () => {
    const repository = makeRepository({ 'a/main.go': '', 'b/README.md': '' });
    expect((await readSurvey(join(repository.root, 'b'), '.workflow')).hasSources).toBe(false);
    expect((await readSurvey(join(repository.root, 'a'), '.workflow')).hasSources).toBe(true);
  });
});

test('a survey of a missing or an empty folder has no state', async () => {
  const repository = makeRepository({ 'README.md': 'hello' });
  const none = { hasFolder: false, hasSources: false, hasRoadmap: false, state: null, problem: null, results: {} };
  expect(await readSurvey(repository.root, '.workflow')).toEqual(none);
  repository.write('.workflow/roadmap.md', '');
  expect(await readSurvey(repository.root, '.workflow')).toEqual({ ...none, hasFolder: true, hasRoadmap: true });
});

it.each([
  ['{"milestones": [', /state\.json is not valid JSON \(.*It starts with: \{"milestones": \[/],
  ['[1]', /state\.json does not contain a JSON object\. It starts with: \[1\]/],
  [`"${'x'.repeat(4 * 1024 * 1024)}"`, /state\.json has 4194306 bytes; the limit is 4194304/],
])('an invalid state file is reported as a problem that quotes its start', async (text, problem) => {
  const repository = makeProject({ '.workflow/state.json': text });
  const survey = await readSurvey(repository.root, '.workflow');
  expect(survey.state).toBeNull();
  expect(survey.problem).toMatch(problem);
  expect(surveyFacts(survey, nowhere)).toMatchObject({
    has_state: true,
    phase: null,
    problem: expect.stringMatching(/^E002: /),
  });
});

test('a state file with a byte order mark is parsed', async () => {
  const repository = makeProject({ '.workflow/state.json': '\uFEFF{"milestones":[{"id":"M1"}]}' });
  expect((await readSurvey(repository.root, '.workflow')).state?.milestones).toHaveLength(1);
});

test('the result files of a verified phase are read, each with its time', async () => {
  const folder = `${scratch}/phases/01-shop`;
  const repository = makeProject({
    [`${folder}/verification.json`]: '{"passed": true, "gaps": []}',
    [`${folder}/review.json`]: '{"verdict": ',
    [`${folder}/uat.md`]: '---\nstatus: complete\n---\n## Tests\n- Login: pass\n',
    [`${folder}/.tests/test-results.json`]: '{"results": [{"name": "a", "status": "passed"}]}',
    [`${folder}/other.json`]: '{}',
  });
  utimesSync(join(repository.root, folder, 'verification.json'), 1_000, 1_000);
  const survey = await readSurvey(repository.root, '.workflow');
  expect(survey.results['VRF-001']).toMatchObject({
    folder,
    problem: null,
    files: {
      'verification.json': { at: 1_000_000, value: { passed: true, gaps: [] }, error: null },
      'review.json': { value: null, error: expect.stringContaining('not valid JSON') },
      'uat.md': { value: { complete: true, passed: true } },
      '.tests/test-results.json': { value: { passed: true } },
    },
  });
  expect(Object.keys(survey.results['VRF-001']?.files ?? {})).toHaveLength(4);
  expect(JSON.parse(JSON.stringify(survey))).toEqual(survey);
  expect(surveyFacts(survey, nowhere)).toMatchObject({
    latest: 'verify',
    phase: '1',
    uat: { passed: true },
    review: null,
  });
});

test('a result older than the verification is ignored', async () => {
  const folder = `${scratch}/phases/01-shop`;
  const repository = makeProject({
    [`${folder}/verification.json`]: '{"passed": true, "gaps": []}',
    [`${folder}/review.json`]: '{"verdict": "BLOCK"}',
  });
  const factsOf = async () => surveyFacts(await readSurvey(repository.root, '.workflow'), nowhere);
  expect(await factsOf()).toMatchObject({ review: { verdict: 'BLOCK' } });
  utimesSync(join(repository.root, folder, 'review.json'), 1_000, 1_000);
  expect(await factsOf()).toMatchObject({ review: null, verification: { passed: true } });
});

const passing = '{"passed": true, "gaps": []}';

it.each<[given: string, path: string | null, folders: readonly string[], found: string | null]>([
  [
    'the folder that the artifact names',
    '20260415-verify-P1-shop',
    ['20260415-verify-P1-shop', '20260416-verify-P1-shop'],
    '20260415-verify-P1-shop',
  ],
  ['a path that begins with scratch', 'scratch/a', ['a'], 'a'],
  ['a path of phases', 'phases/01-shop', ['phases/01-shop', '20260415-verify-P1-shop'], 'phases/01-shop'],
  [
    'a dated folder in place of a path of phases',
    'phases/01-shop',
    ['x-P1-shop', '20260415-verify-P1-shop'],
    '20260415-verify-P1-shop',
  ],
  [
    'the newest dated folder',
    'phases/01-shop',
    ['20260415-a-P1-b', '20260416-a-P01-b', '20260417-a-P2-b'],
    '20260416-a-P01-b',
  ],
  [
    'the newest folder of the phase for any other path',
    'gone',
    ['20260415-a-P1-b', '20260416-a-P1-b', 'zzz-P1-b'],
    '20260416-a-P1-b',
  ],
  ['an undated folder of the phase', 'gone', ['a-P1-b'], 'a-P1-b'],
  ['the folder of the phase without a path', null, ['a-P1-b'], 'a-P1-b'],
  ['nothing of another phase', 'gone', ['20260415-a-P10-b', '20260415-a-P1'], null],
])('resolves the folder of an artifact to %s', async (_given, path, folders, found) => {
  const repository = makeProject({}, [{ ...verify, path }]);
  for (const folder of folders) repository.write(`${scratch}/${folder}/verification.json`, passing);
  const { results } = await readSurvey(repository.root, '.workflow');
  expect(results['VRF-001']?.folder).toBe(found === null ? null : `${scratch}/${found}`);
  const evidence = await readEvidence(repository.root, {
    files: ['verification.json'],
    survey: '.workflow',
    phase: '1',
  });
  expect(evidence['verification.json']?.found).toBe(found !== null);
});

test('a missing artifact folder is reported with the folders that exist', async () => {
  const repository = makeProject({ [`${scratch}/20260415-a-P2-b/x`]: '', [`${scratch}/note.txt`]: '' });
  const survey = await readSurvey(repository.root, '.workflow');
  const problem = surveyFacts(survey, nowhere)['problem'];
  expect(problem).toMatch(
    /^E003: no folder phases\/01-shop and none matching \*-P1-\*: .*scratch holds 20260415-a-P2-b, note\.txt/,
  );
});

test('a missing scratch folder is reported', async () => {
  const survey = await readSurvey(makeProject().root, '.workflow');
  expect(survey.results['VRF-001']).toMatchObject({ folder: null, problem: expect.stringContaining('does not exist') });
});

describe('a link or path out of the project', () => {
  it.each(['../../outside', '../..', '/etc', 'link'])('is not followed as an artifact’s path: %s', async (path) => {
    const repository = makeProject({ 'outside/verification.json': passing, [`${scratch}/x`]: '' }, [
      { ...verify, path },
    ]);
    symlinkSync(join(repository.root, 'outside'), join(repository.root, scratch, 'link'));
    const survey = await readSurvey(repository.root, '.workflow');
    expect(survey.results['VRF-001']).toMatchObject({
      folder: null,
      problem: expect.stringContaining('leads outside'),
    });
    const evidence = await readEvidence(repository.root, {
      files: ['verification.json'],
      survey: '.workflow',
      phase: '1',
    });
    expect(evidence['verification.json']).toMatchObject({
      found: false,
      why: expect.stringContaining('leads outside'),
    });
  });

  it('is not followed as a folder named like the phase', async () => {
    const repository = makeProject({ 'outside/verification.json': passing, [`${scratch}/x`]: '' }, [
      { ...verify, path: 'gone' },
    ]);
    symlinkSync(join(repository.root, 'outside'), join(repository.root, scratch, '20260415-a-P1-b'));
    expect((await readSurvey(repository.root, '.workflow')).results['VRF-001']?.folder).toBeNull();
  });

  it('is not followed as the scratch folder', async () => {
    const outside = makeFolder();
    mkdirSync(join(outside, 'phases/01-shop'), { recursive: true });
    const repository = makeProject();
    symlinkSync(outside, join(repository.root, scratch));
    const survey = await readSurvey(repository.root, '.workflow');
    expect(survey.results['VRF-001']).toMatchObject({
      folder: null,
      problem: expect.stringContaining('outside the project'),
    });
  });

  it('is not followed as a result or evidence file', async () => {
    const outside = makeFolder();
    writeFileSync(join(outside, 'secret.json'), '{"passed": true}');
    const repository = makeProject({ [`${scratch}/phases/01-shop/x`]: '' });
    symlinkSync(join(outside, 'secret.json'), join(repository.root, scratch, 'phases/01-shop/verification.json'));
    symlinkSync(join(outside, 'secret.json'), join(repository.root, 'result.json'));
    const survey = await readSurvey(repository.root, '.workflow');
    expect(survey.results['VRF-001']?.files).toMatchObject({
      'verification.json': { value: null, error: expect.stringContaining('leads outside') },
    });
    const up = '../'.repeat(12);
    const files = [
      'result.json',
      `${up}${join(outside, 'secret.json').slice(1)}`,
      `../${repository.root.split('/').at(-1)}/../x`,
    ];
    const evidence = await readEvidence(repository.root, { files, survey: null, phase: null });
    expect(Object.values(evidence).map((one) => one.found)).toEqual([false, false, false]);
    expect(evidence['result.json']).toMatchObject({ why: expect.stringContaining('leads outside') });
  });

  it('is not followed as the state file', async () => {
    const outside = makeFolder();
    writeFileSync(join(outside, 'state.json'), '{}');
    const repository = makeRepository();
    repository.write('.workflow/roadmap.md', '');
    symlinkSync(join(outside, 'state.json'), join(repository.root, '.workflow/state.json'));
    expect((await readSurvey(repository.root, '.workflow')).problem).toContain('leads outside');
  });
});

describe('the evidence of a gate', () => {
  it('is read from the project’s root without a survey', async () => {
    const repository = makeRepository({ 'out/result.json': '{"score": 7}', 'broken.json': '{', 'folder.json/x': '' });
    const files = ['out/result.json', 'broken.json', 'folder.json', 'none.json', 'survey'];
    expect(await readEvidence(repository.root, { files, survey: null, phase: '1' })).toEqual({
      'out/result.json': { found: true, value: { score: 7 }, path: 'out/result.json' },
      'broken.json': { found: false, why: expect.stringContaining('result file broken.json is not valid JSON') },
      'folder.json': { found: false, why: expect.stringContaining('not a plain file') },
      'none.json': { found: false, why: expect.stringContaining('no result file none.json') },
    });
  });

  it('is limited in size', async () => {
    const repository = makeRepository({ 'big.json': `"${'x'.repeat(1024 * 1024)}"` });
    const { 'big.json': big } = await readEvidence(repository.root, { files: ['big.json'], survey: null, phase: null });
    expect(big).toMatchObject({ found: false, why: expect.stringContaining('the limit is 1048576') });
  });

  it('is read from the latest artifact of the phase', async () => {
    const execute = { ...verify, id: 'EXC-002', type: 'execute', path: 'later' };
    const repository = makeProject(
      {
        [`${scratch}/phases/01-shop/verification.json`]: passing,
        [`${scratch}/phases/01-shop/review.json`]: '{"verdict": "BLOCK"}',
        [`${scratch}/later/review.json`]: '{"verdict": "PASS"}',
        [`${scratch}/later/verification.json`]: '{}',
      },
      [verify, execute],
    );
    const files = ['verification.json', 'review.json', 'uat.md'];
    expect(await readEvidence(repository.root, { files, survey: '.workflow', phase: '1' })).toEqual({
      'verification.json': {
        found: true,
        value: { passed: true, gaps: [] },
        path: `${scratch}/phases/01-shop/verification.json`,
      },
      'review.json': { found: true, value: { verdict: 'PASS' }, path: `${scratch}/later/review.json` },
      'uat.md': { found: false, why: expect.stringContaining('no result file uat.md') },
    });
  });

  it('is found by the phase if the state file does not name an artifact', async () => {
    const repository = makeProject({ [`${scratch}/20260415-x-P1-y/verification.json`]: passing }, []);
    repository.remove('.workflow/state.json');
    const evidence = await readEvidence(repository.root, {
      files: ['verification.json'],
      survey: '.workflow',
      phase: 'P1',
    });
    expect(evidence['verification.json']?.found).toBe(true);
  });

  it('is missing if neither the phase nor an artifact is known', async () => {
    const repository = makeProject({ [`${scratch}/20260415-x-P1-y/verification.json`]: passing }, []);
    const evidence = await readEvidence(repository.root, {
      files: ['verification.json'],
      survey: '.workflow',
      phase: null,
    });
    expect(evidence['verification.json']).toMatchObject({
      found: false,
      why: expect.stringMatching(/^no result file verification.json: /),
    });
  });
});

test('a survey reads a limited number of bytes in total', async () => {
  const phases = Array.from({ length: 6 }, (_, index) => index + 1);
  const repository = makeRepository();
  const artifacts = phases.map((phase) => ({ ...verify, id: `V${phase}`, phase, path: `p${phase}` }));
  const milestones = [{ id: 'M1', name: 'MVP', status: 'active', phases }];
  repository.write('.workflow/state.json', JSON.stringify({ current_milestone: 'MVP', milestones, artifacts }));
  for (const phase of phases)
    repository.write(`${scratch}/p${phase}/verification.json`, `{"passed":true,"x":"${'x'.repeat(1_000_000)}"}`);
  const { results } = await readSurvey(repository.root, '.workflow');
  const errors = phases.map((phase) => results[`V${phase}`]?.files['verification.json']?.error ?? null);
  expect(errors.slice(0, 4)).toEqual([null, null, null, null]);
  expect(errors[5]).toContain('bytes; the limit is');
});

describe('an evidence file', () => {
  const at = (root: string, file: string, ms: number) => utimesSync(join(root, file), new Date(ms), new Date(ms));

  it('counts as written if its content or its time changed', async () => {
    const { root, write } = makeRepository({ 'a.json': '1', 'b.json': '1', 'c.json': '1' });
    const judged = { files: ['a.json', 'b.json', 'c.json', 'd.json'], survey: null };
    for (const file of ['a.json', 'b.json', 'c.json']) at(root, file, 1_000_000);
    const before = await markEvidence(root, judged);
    write('a.json', '2');
    at(root, 'a.json', 1_000_000);
    write('b.json', '1');
    at(root, 'b.json', 9_000_000);
    write('d.json', '1');
    const now = await markEvidence(root, judged);
    expect(writtenSince(before, now)).toEqual(['a.json', 'b.json', 'd.json']);
    expect(writtenSince(now, now)).toEqual([]);
    expect(writtenAfter(now, 9_000_000)).toEqual(['b.json', 'd.json']);
  });

  it('is looked for in every folder of the survey, and never outside the project', async () => {
    const outside = { ...verify, id: 'VRF-9', path: '../../..' };
    const { root } = makeProject(
      {
        [`${scratch}/20260415-x-P1-y/verification.json`]: passing,
        [`${scratch}/phases/01-shop/verification.json`]: passing,
        'verification.json': passing,
      },
      [verify, outside],
    );
    const marks = await markEvidence(root, { files: ['verification.json'], survey: '.workflow' });
    expect(Object.keys(marks).sort()).toEqual([
      `${scratch}/20260415-x-P1-y/verification.json`,
      `${scratch}/phases/01-shop/verification.json`,
    ]);
  });
});
