import { expect, it } from 'vitest';
import { given, waitingAgent } from './given.js';

function parsed(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  let typed = '';
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE (bosun_[a-z_]+) (gauge|counter)$/.exec(line);
    if (type) typed = type[1] ?? '';
    if (line.startsWith('#')) continue;
    const sample = /^((bosun_[a-z_]+)(?:\{[a-z]+="(?:[^"\\\n]|\\.)*"\})?) (\d+(?:\.\d+)?(?:e-?\d+)?)$/.exec(line);
    expect(sample, line).not.toBeNull();
    expect(sample?.[2]).toBe(typed);
    samples.set(sample?.[1] ?? '', Number(sample?.[3]));
  }
  return samples;
}

it('tells Prometheus what runs, what waits and how the process is', async () => {
  const { get, post, attempt } = await given({ work: true, agent: waitingAgent });
  const before = parsed((await get('/metrics')).text);
  expect(before.get('bosun_runs_unfinished{status="running"}')).toBe(0);
  expect(before.get('bosun_worker_working')).toBe(1);
  await post('/api/say', { text: 'A: wait' });
  expect(parsed((await get('/metrics')).text).get('bosun_interactions_open{kind="confirm"}')).toBe(1);
  await post('/api/say', { text: 'continue A' });
  await attempt();
  const reply = await get('/metrics');
  expect(reply.headers['content-type']).toContain('text/plain');
  const after = parsed(reply.text);
  expect(after.get('bosun_runs_unfinished{status="running"}')).toBe(1);
  const jobs = (after.get('bosun_jobs{state="queued"}') ?? 0) + (after.get('bosun_jobs{state="running"}') ?? 0);
  expect(jobs).toBe(1);
  expect(after.get('bosun_http_requests_total{code="2xx"}')).toBeGreaterThan(2);
  expect(after.get('bosun_event_loop_delay_seconds{quantile="1"}')).toBeLessThan(20);
  expect(after.get('bosun_process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  expect(after.get('bosun_info{version="1.2.3"}')).toBe(1);
});
