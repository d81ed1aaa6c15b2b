import type { KeptRows } from '../../dispatch/index.js';
import type { DeliveryEnds, HomeReader } from '../../store/index.js';
import { counters, gauges, type Metric, type Sample } from './text.js';

interface Rows {
  readonly reader: Pick<HomeReader, 'counts'>;
  readonly deliveries: Pick<KeptRows['deliveries'], 'ends' | 'counts'>;
}

export function deliveryMetrics({ deliveries, reader: { counts } }: Rows, at: number): readonly Metric[] {
  const lanes = deliveries.counts();
  const ends = deliveries.ends();
  const blocked = counts.blockedLanes(at);
  const channels = [...new Set([...lanes, ...blocked].map(({ channel }) => channel).concat(...ends.keys()))].sort();
  const each = (value: (channel: string) => number): readonly Sample[] =>
    channels.map((channel) => ({ labels: { channel }, value: value(channel) }));
  const of = (channel: string) => lanes.filter((lane) => lane.channel === channel);
  const waiting = (channel: string) => of(channel).reduce((sum, lane) => sum + lane.waiting, 0);
  const oldest = (channel: string) => {
    const since = Math.min(...of(channel).map((lane) => lane.since));
    return Number.isFinite(since) ? Math.max(0, at - since) / 1000 : 0;
  };
  const refused = (channel: string) => ends.get(channel);
  return [
    gauges(
      'bosun_lanes_waiting',
      'Chats for which messages wait.',
      each((channel) => of(channel).length),
    ),
    gauges('bosun_deliveries_waiting', 'Messages that wait to be sent.', each(waiting)),
    gauges('bosun_deliveries_oldest_seconds', 'How long the oldest of them has waited.', each(oldest)),
    gauges(
      'bosun_lanes_blocked',
      'Chats that their platform currently blocks.',
      each((channel) => blocked.find((one) => one.channel === channel)?.count ?? 0),
    ),
    counters(
      'bosun_deliveries_total',
      'Messages by delivery result.',
      [...ends].flatMap(([channel, end]) => endsOf(channel, end)),
    ),
    counters(
      'bosun_retry_after_total',
      'How often a platform asked to wait.',
      each((c) => refused(c)?.refusals ?? 0),
    ),
    counters(
      'bosun_retry_after_seconds_total',
      'How long platforms asked to wait.',
      each((channel) => (refused(channel)?.refusedMs ?? 0) / 1000),
    ),
  ];
}

function endsOf(channel: string, { sent, superseded, failed }: DeliveryEnds): readonly Sample[] {
  return Object.entries({ sent, superseded, failed }).map(([state, value]) => ({ labels: { channel, state }, value }));
}
