// How many messages a second the grammar reads, by processor time: commands, free sentences, and both in equal parts.
import { grammar } from '../dist/bot/grammar/index.js';

const commands = ['continue shop', 'status', 'approve i12-3', 'retry shop impl: use tabs', 'shop: add a login page'];
const sentences = [
  'thanks, see you tomorrow',
  'what do you think about the new design of the checkout page?',
  'ok',
  'show me the diff',
  'could you please continue with shop',
];
const times = 3_000;
const rounds = 8;

export async function measureGrammar() {
  const rows = [3, 1_000].map((projects) => {
    const names = Array.from({ length: projects }, (_, n) => ({ name: n === 0 ? 'shop' : `site${n}`, aliases: [] }));
    const [ofCommands, ofSentences] = [commands, sentences].map((texts) => leastMicroseconds(texts, names));
    const perSecond = (microseconds) => Math.round(1e6 / microseconds).toLocaleString('en-US');
    return {
      projects,
      'commands/s': perSecond(ofCommands),
      'free sentences/s': perSecond(ofSentences),
      'both, messages/s': perSecond((ofCommands + ofSentences) / 2),
    };
  });
  return { title: 'The grammar', rows };
}

/** For one message: the mean of the texts, in the round that was disturbed least. */
function leastMicroseconds(texts, names) {
  const costs = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    for (let n = 0; n < times; n++) for (const text of texts) grammar.parse(text, names);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (times * texts.length);
  });
  return Math.min(...costs);
}
