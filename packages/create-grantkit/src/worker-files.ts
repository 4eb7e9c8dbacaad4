import { filled, fromTemplate } from './template.ts'

/** What only a Worker has: its bindings and their types. */
export function workerFiles(name: string, chosen: readonly string[]): Readonly<Record<string, string>> {
  return {
    'wrangler.jsonc': filled(fromTemplate('wrangler.jsonc', chosen), { name: workerName(name) }),
    'env.d.ts': fromTemplate('env.d.ts', chosen),
  }
}

/** A label of a host name, which a Worker has in its address. */
function workerName(name: string): string {
  const label = name.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 63)
  return label.replaceAll(/^-|-$/g, '') || 'notes'
}
