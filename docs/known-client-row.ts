import { CAUTIONS, isOnByDefault, type KnownClient } from '@grantkit/known-clients'
import type { McpClient } from '@grantkit/mcp-clients'

/** @throws Error for an entry without a day, a source or a replay */
export function knownClientRow(entry: KnownClient, replays: readonly McpClient[]): readonly string[] {
  const missing = missingFrom(entry, replays)
  if (missing !== undefined) throw new Error(`The known client ${entry.id} has no ${missing}`)
  const { id, name, redirectUris, documents, seen, source } = entry
  return [
    `${name} (\`${id}\`)`,
    isOnByDefault(entry) ? '`on`' : `\`on,${id}\`: ${reasonOf(entry)}`,
    redirectUris.map((uri) => `\`${uri}\``).join('<br>') || 'on loopback',
    documents.map(({ url }) => `[${new URL(url).host}](${url})`).join('<br>'),
    `${linked(source)}, ${seen}`,
  ]
}

function missingFrom({ id, seen, source }: KnownClient, replays: readonly McpClient[]): string | undefined {
  if (!/^20\d\d-\d\d-\d\d$/.test(seen)) return 'day on which its source was looked at (seen)'
  if (source === '') return 'source'
  return replays.some(({ known }) => known === id) ? undefined : 'replay in packages/mcp-clients'
}

function reasonOf({ caution, removed }: KnownClient): string {
  if (removed !== undefined) return `removed: ${removed}`
  return caution === undefined ? 'its vendor does not publish its addresses' : CAUTIONS[caution]
}

function linked(source: string): string {
  return /^https:\S+$/.test(source) ? `[${new URL(source).host}](${source})` : source
}
