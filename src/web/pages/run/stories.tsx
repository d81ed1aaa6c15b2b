import { type PipelineStory, storiesOf } from '../../../dispatch/index.js';
import type { Chain, Item } from '../../../engine/index.js';
import type { HomeReader, Spine } from '../../../store/index.js';
import { inPath } from '../shared/paths.js';
import { Badge, itemSaid, type Said } from '../shared/status.js';
import { countOf, dotted, lineOf, shortened } from '../shared/text.js';

const maxCriteria = 50;

export function Stories({
  reader,
  spine,
  items,
  saidOf,
}: {
  readonly reader: Pick<HomeReader, 'chain'>;
  readonly spine: Spine;
  readonly items: readonly Item[];
  readonly saidOf: (item: Item) => Said;
}) {
  const { id } = spine.run;
  const read = new Map<string, Chain | null>();
  const stories = storiesOf({ ...spine, items }, (key) => {
    const chain = read.get(key) ?? reader.chain(id, key);
    read.set(key, chain);
    return chain;
  });
  return (
    <ul class="panel list">
      {stories.map((story) => {
        const item = items.find(({ key }) => key === story.story_id);
        const isOpen = item?.status === 'running' || item?.status === 'failed';
        return (
          <li>
            <details id={`story-${inPath(story.story_id)}`} open={isOpen}>
              <summary>
                <strong>{lineOf(story.story_id, 60)}</strong> <span dir="auto">{lineOf(story.title)}</span>{' '}
                {item ? <Badge {...saidOf(item)} /> : null} <span class="soft num">{factsOf(story)}</span>
              </summary>
              {story.description === '' ? null : <pre dir="auto">{shortened(story.description)}</pre>}
              {story.acceptance_criteria.length === 0 ? null : (
                <ul class="criteria">
                  {story.acceptance_criteria.slice(0, maxCriteria).map((one) => (
                    <li dir="auto">{shortened(one, 500)}</li>
                  ))}
                </ul>
              )}
              {story.output === null ? null : (
                <details id={`output-${inPath(story.story_id)}`}>
                  <summary>Report</summary>
                  <pre class="block" dir="auto">
                    {shortened(story.output, 8_000)}
                  </pre>
                </details>
              )}
            </details>
          </li>
        );
      })}
    </ul>
  );
}

function factsOf({ acceptance_criteria: criteria, retry_count: count, max_retries: most }: PipelineStory): string {
  return dotted([
    criteria.length === 0 ? '' : countOf(criteria.length, 'criterion', 'criteria'),
    count > 0 ? `${count} of ${most} retries` : '',
  ]);
}

export async function storiesText(reader: Pick<HomeReader, 'chain'>, spine: Spine): Promise<string> {
  return String(await (<Stories reader={reader} spine={spine} items={spine.items} saidOf={itemSaid} />).toString());
}
