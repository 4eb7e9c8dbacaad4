/** A project for Cloudflare Workers: it has the types of Workers, and none of Node. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeJson } from './consumer.ts'
import { run } from './publishable.ts'

/** What a Worker imports. */
export const OF_WORKERS = [
  '@grantkit/core',
  '@grantkit/adapter-hono',
  '@grantkit/known-clients',
  '@grantkit/safe-fetch',
  '@grantkit/store-cloudflare',
  '@grantkit/store-memory',
]

const WORKER = `
export default {
  fetch: (request) => new Response(new URL(request.url).pathname),
} satisfies ExportedHandler
`

/**
 * Compiles a Worker that imports every entry of these packages, with all their declarations.
 *
 * @param consumer the folder that has the packages, `typescript` and `@cloudflare/workers-types` installed
 * @throws Error with the output of the compiler if it refuses one of them
 */
export function typeCheckWorker(consumer: string, names: readonly string[]): void {
  const folder = join(consumer, 'worker')
  mkdirSync(folder, { recursive: true })
  const entries = names.flatMap((name) => entriesOf(consumer, name))
  const imports = entries.map((entry, n) => `export * as entry${n} from '${entry}'`)
  writeFileSync(join(folder, 'worker.ts'), [...imports, WORKER].join('\n'))
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023'],
    types: ['@cloudflare/workers-types'],
    module: 'es2022',
    moduleResolution: 'bundler',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  }
  writeJson(join(folder, 'tsconfig.json'), { compilerOptions, include: ['*.ts'] })
  run(join(consumer, 'node_modules/.bin/tsc'), ['-p', folder], folder)
}

/** What a program writes to import each entry of an installed package. */
function entriesOf(consumer: string, name: string): string[] {
  const manifest = readFileSync(join(consumer, 'node_modules', name, 'package.json'), 'utf8')
  return Object.keys(JSON.parse(manifest).exports).map((entry) => join(name, entry))
}
