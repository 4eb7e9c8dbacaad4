import { readFile, writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'
import { table } from '../edge/table.ts'
import { grantkitTable, peersTable, type Result } from './published.ts'

const BENCHMARKS = join(import.meta.dirname, '../..')

export async function publish(results: readonly Result[], seed: number): Promise<void> {
  const rows = await Promise.all(
    results.map(async ({ row }) => [
      `\`${row.name}\``,
      `${row.title} ${await versionOf(row.package)}`,
      row.words,
    ]),
  )
  const [day] = new Date().toISOString().split('T')
  const machine = `${cpus().length} cores, ${platform()} ${arch()}, Node ${process.versions.node}`
  const text = `# Races at token endpoints

${day}, seed ${seed}, ${machine}: one run of [\`@grantkit/torture\`](../../torture/README.md) against each row, by
\`pnpm --dir proof bench:torture --publish\`.

${table(['Row', 'Server', 'Store'], rows)}

Each server runs in a process of its own, behind 0-2 ms of delay in each call of its store: a store in the same process hides every race.
Servers of databases have their own delay. A peer has a second row where the contract of its store leaves room for a safer one.

## Grantkit

${grantkitTable(results)}

\`declared\`: Grantkit answers a retry by the same pair on purpose: [retry-safe rotation](../../../docs/adr/0002-retry-safe-refresh-token-rotation.md).

## Peers

${peersTable(results)}

- **–**: the server has no such endpoint, or there is nothing to race.
- **not published**: what is unsafe and not public goes to the maintainers of a server first. Where that is so for one of them, the check has
  only the cells that have a public source, and none of the others, whatever their results are.
- A linked verdict has a public source that describes its cause.
- \`passed\` means that this run found nothing. It is no proof.

## Run it yourself

\`\`\`sh
pnpm --dir proof bench:torture                          # all rows
pnpm --dir proof bench:torture --only grantkit-redis    # one of them
\`\`\`

It writes the history and the report of each row to a temporary folder. A report names the smallest history of each finding.
`
  await writeFile(join(BENCHMARKS, 'results/torture.md'), text)
}

async function versionOf(name: string | undefined): Promise<string> {
  if (name === undefined) return ''
  const manifest = await readFile(join(BENCHMARKS, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
