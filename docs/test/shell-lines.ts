/** The shell lines and data of the documentation, each with the test that runs it or the reason why none does. */
import { type CodeBlock, fencedBlocks } from './code-blocks.ts'

export interface ShellLine {
  readonly page: string
  readonly line: string
}

/** Lines without their comments; one that is continued with a backslash is one line. */
export function shellLines(): ShellLine[] {
  const blocks = documentBlocks().filter(({ language }) => language === 'sh')
  return blocks.flatMap(({ page, code }) => linesOf(code).map((line) => ({ page, line })))
}

/** The test of the client pages, `libraries.long.test.ts`, takes all that it runs from them. */
export function documentBlocks(): CodeBlock[] {
  return fencedBlocks().filter(({ page }) => !page.startsWith('docs/clients/'))
}

function linesOf(code: string): string[] {
  const joined = code.replaceAll(/\\\n\s*/g, '')
  return joined
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line !== '')
}

/** What `shown-commands.long.test.ts` runs at a service that runs. */
export const COMMAND =
  /^([A-Z_]+=\w+ )*npx -y pnpm@12 (account|clients|database|examine|grants|integration|keys|overview|trail)\b(?!.*<)/

interface Proof {
  /** The test that runs them. */
  readonly by?: string
  /** Why none can. */
  readonly why?: string
}

/** The first row that fits a line counts. */
export const ROWS: readonly (Proof & { readonly lines: RegExp })[] = [
  { lines: /^npm (install|init)\b/, by: 'scripts/packages/packages.long.test.ts' },
  { lines: /^npx @grantkit\/doctor /, by: 'scripts/packages/packages.long.test.ts' },
  { lines: /^curl -s http:\/\/127|^node fastify\.ts$/, by: 'docs/test/start.test.ts' },
  { lines: /^npm pkg delete type$/, by: 'scripts/packages/guides.long.test.ts' },
  { lines: /^node main\.ts$/, by: 'docs/test/guides.test.ts' },
  { lines: /modelcontextprotocol\/inspector --cli/, by: 'docs/test/mcp-clients.test.ts' },
  { lines: /^npx vitest run$/, by: 'docs/test/how-to.test.ts' },
  { lines: /^node after\.ts$/, by: 'examples/express/express.test.ts' },
  { lines: /^node examples\/hono-mcp\/after\.ts$/, by: 'examples/hono-mcp/hono-mcp.test.ts' },
  { lines: /--input-type=module -e|^chmod 600 keys\.json$/, by: 'docs/test/guides.test.ts' },
  { lines: COMMAND, by: 'apps/reference/test/shown-commands.long.test.ts' },
  { lines: /pnpm@12 trail .*<id>/, by: 'apps/reference/test/trail.test.ts' },
  { lines: /pnpm@12 demo --device/, by: 'apps/reference/test/device-commands.test.ts' },
  { lines: /pnpm@12 demo$/, by: 'apps/reference/test/commands.long.test.ts' },
  { lines: /pnpm@12 start$/, by: 'apps/reference/test/start.test.ts' },
  { lines: /pnpm@12 fuzz /, by: 'apps/reference/test/fuzz.long.test.ts' },
  { lines: /pnpm@12 cluster --replicas 3$/, by: 'apps/reference/test/one-postgres.long.test.ts' },
  { lines: /pnpm@12 test$/, why: 'a test that runs all tests would run itself; CI runs it' },
  {
    lines: /pnpm@12 exec vitest run --project flows/,
    why: 'runs all tests of a framework; the nightly run has it',
  },
  {
    lines: /pnpm@12 install --frozen-lockfile --prod/,
    why: 'it would remove what the tests need from the workspace',
  },
  {
    lines: /^docker compose/,
    why: 'the tests have Podman: image.long.test.ts runs the image as compose.yaml does',
  },
  { lines: /^grantkit /, by: 'apps/reference/test/command-beside-the-unit.test.ts' },
  {
    lines: /^(useradd|systemctl|install|ln) /,
    why: 'changes the machine; deployment.test.ts reads the unit',
  },
  { lines: /^export /, why: 'settings.test.ts reads such settings; the addresses are of the reader' },
  { lines: /^sqlite3 /, why: 'a program that the tests do not have; the paths are of the reader' },
]

/** The blocks of data, by page and first line. TypeScript is compiled, all of it, by `code-blocks.test.ts`. */
export const DATA: Readonly<Record<string, Proof>> = {
  'apps/reference/README.md: {': { by: 'apps/reference/test/identities.test.ts' },
  'docs/how-to/module-systems.md: {': { by: 'scripts/packages/module-systems.long.test.ts' },
  'docs/operations.md: groups:': { by: 'apps/reference/test/metrics.test.ts' },
  'docs/start.md: http:': { by: 'docs/test/start.test.ts' },
  'docs/start.md: [': { by: 'docs/test/start.test.ts' },
  'packages/store-postgres/README.md: GRANT': { by: 'packages/store-postgres/test/postgres-store.test.ts' },
  'packages/store-postgres/README.md: ALTER': { by: 'packages/store-postgres/test/given-up.test.ts' },
  'docs/how-to/job.md: - name': { why: 'for GitHub Actions; machines.test.ts sends the same requests' },
  'docs/how-to/delegate.md: {': { by: 'apps/reference/test/token-exchange.test.ts' },
  'docs/how-to/delegate.md: const child': { by: 'apps/reference/test/token-exchange.test.ts' },
  'docs/how-to/fapi2.md: lifetimes.code': { by: 'packages/core/test/fapi2.test.ts' },
  'docs/how-to/push.md: const url': { by: 'apps/reference/test/par.test.ts' },
  'docs/how-to/nextjs.md: ': { by: 'scripts/packages/guides.long.test.ts' },
  'docs/how-to/gateway.md: # Envoy': {
    why: 'gateway.test.ts asks as Envoy does, which the tests do not have',
  },
  'docs/operations.md: scrape_configs:': { why: 'for Prometheus, which the tests do not have' },
  'docs/operations.md: GRANT': { why: 'names a role of the reader' },
}
