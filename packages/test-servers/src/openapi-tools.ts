import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generateApi } from 'swagger-typescript-api'

/** What the tools of clients say of an OpenAPI document. */

const require = createRequire(import.meta.url)

interface Verdict {
  readonly valid: boolean
  readonly printed: string
}

/** Whether a document keeps to the specification, and to the strict rules of a linter. @param folder for its files */
export async function lintOpenApi(document: object, folder: string): Promise<Verdict> {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
  if (!valid) return { valid, printed: JSON.stringify(errors) }
  // The linter rejects localhost as a server, which only tests use.
  const elsewhere = { ...document, servers: [{ url: 'https://service.example' }] }
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(elsewhere))
  const redocly = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')
  const config = fileURLToPath(new URL('../redocly.yaml', import.meta.url))
  return run([redocly, 'lint', join(folder, 'openapi.json'), '--config', config])
}

const COMPILER_OPTIONS = '--ignoreConfig --noEmit --strict --target es2024 --module nodenext --lib es2024,dom'

/** Generates a typed client, and compiles it. @param folder for its files */
export async function typedClient(
  document: object,
  folder: string,
): Promise<Verdict & { readonly path: string }> {
  const fileName = 'client.ts'
  const spec = structuredClone(document) as never
  await generateApi({ spec, output: folder, fileName, silent: true })
  const path = join(folder, fileName)
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  return { ...(await run([tsc, ...COMPILER_OPTIONS.split(' '), '--types', '', path])), path }
}

/** Lets this process serve its requests meanwhile. */
function run(program: readonly string[]): Promise<Verdict> {
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return new Promise((resolve) => {
    execFile(process.execPath, program, { env }, (error, stdout, stderr) =>
      resolve({ valid: error === null, printed: stdout + stderr }),
    )
  })
}
