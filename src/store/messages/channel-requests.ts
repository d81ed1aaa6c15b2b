// Committed with their plan, and kept until done or refused for good.
import type { Database } from 'better-sqlite3';
import { z } from 'zod';

export interface ChannelRequest {
  readonly type: 'topic';
  readonly chat: string;
  readonly project: string;
  readonly thread: string;
}

export interface OpenChannelRequest extends ChannelRequest {
  readonly n: number;
}

export interface ChannelRequestRows {
  /** Skips types unknown to this version. */
  open(): readonly OpenChannelRequest[];
}

export interface ChannelRequestWriter {
  append(wants: readonly ChannelRequest[]): void;
  end(rows: readonly number[]): void;
}

/** Far above normal; the oldest go first. */
const maxWants = 200;
const maxBodyChars = 2_000;

const wantSchema = z.strictObject({
  type: z.literal('topic'),
  chat: z.string().regex(/^-\d{1,20}$/),
  project: z.string().min(1).max(100),
  thread: z.string().min(1).max(200),
});

interface Row {
  readonly n: number;
  readonly body: string;
}

export function wantRows(db: Database): ChannelRequestRows & ChannelRequestWriter {
  const insert = db.prepare('INSERT INTO wants (body) VALUES (?)');
  const remove = db.prepare('DELETE FROM wants WHERE n = ?');
  const shed = db.prepare('DELETE FROM wants WHERE n <= (SELECT n FROM wants ORDER BY n DESC LIMIT 1 OFFSET ?)');
  const open = db.prepare<[number], Row>('SELECT n, body FROM wants ORDER BY n DESC LIMIT ?');
  return {
    append(wants) {
      for (const { type, chat, project, thread } of wants) insert.run(JSON.stringify({ type, chat, project, thread }));
      if (wants.length > 0) shed.run(maxWants);
    },
    end(rows) {
      for (const n of rows) remove.run(n);
    },
    open: () => open.all(maxWants).reverse().flatMap(wantOf),
  };
}

function wantOf({ n, body }: Row): readonly OpenChannelRequest[] {
  const parsed = wantSchema.safeParse(body.length > maxBodyChars ? null : jsonOf(body));
  return parsed.success ? [{ n, ...parsed.data }] : [];
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
