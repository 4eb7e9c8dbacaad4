import { randomBytes } from 'node:crypto'
import { newSigningKeys } from '@grantkit/core'
import {
  type Choices,
  FEATURES,
  FRAMEWORKS,
  LANGUAGES,
  onWorkers,
  PAGES,
  STORES,
  withNeeded,
} from './choices.ts'
import { manifestOf, minimumNode, type PackageSource } from './manifest.ts'
import { fromTemplate, quotable } from './template.ts'

/** The content of files by their names. */
export type ProjectFiles = Readonly<Record<string, string>>

/** An API or an MCP server with its authorization server. Makes new secrets each time. @throws ChoiceError if a package is missing */
export async function programFiles(
  name: string,
  given: Choices,
  source: PackageSource,
): Promise<ProjectFiles> {
  const choices = { ...given, features: withNeeded(given.features) }
  const { app, framework, store, pages, features, accent, languages } = choices
  const workers = onWorkers(framework)
  const chosen = [
    ...[app, store, pages, ...features],
    ...(workers ? ['workers'] : []),
    ...(features.some((one) => one !== 'openid') ? ['features'] : []),
    ...(accent === undefined ? [] : ['accent']),
    ...(languages === undefined ? [] : ['languages']),
    // Own pages begin in English.
    ...(pages === 'own' ? ['en'] : (languages ?? LANGUAGES)),
  ]
  const values = {
    ...{ name: quotable(choices.name), accent, title: choices.name, node: minimumNode() },
    html: choices.name.replaceAll(/[&<>`$\\]/g, (sign) => `&#${sign.charCodeAt(0)};`),
    languages: languages?.map((language) => `'${language}'`).join(', '),
    choices: labelsOf(choices),
    install: installation(source.kind),
    worker: workerName(name),
  }
  const from = (file: string) => fromTemplate(file, chosen, values)
  return {
    'package.json': json(manifestOf(name, choices, source)),
    'tsconfig.json': from('tsconfig.json'),
    'server.ts': from('server.ts'),
    'interaction.ts': from(pages === 'own' ? 'interaction-own.ts' : 'interaction.ts'),
    ...(app === 'mcp' && { 'mcp.ts': from('mcp.ts') }),
    'app.ts': from(`${framework}.ts`),
    'README.md': from('README.md'),
    ...(workers
      ? {
          '.dev.vars': await secrets(choices),
          'wrangler.jsonc': from('wrangler.jsonc'),
          'env.d.ts': from('env.d.ts'),
        }
      : { '.env': await secrets(choices), 'server.test.ts': from('server-test.ts') }),
  }
}

/** What must not be committed. */
export function ignoredOf({ framework }: Choices): string[] {
  return onWorkers(framework) ? ['.env', '.dev.vars', '.wrangler'] : ['.env', 'grantkit.db*']
}

/** The lines that install the packages of a project. */
export function installation(source: PackageSource['kind']): string {
  return source === 'tarballs' ? 'npm install' : `${NO_REGISTRY}\nnpm install`
}

const NO_REGISTRY = `# The packages are not in a registry yet. In a clone of the repository run \`npx -y pnpm@12 tarballs --all\`,
# and create the project with \`--packages tarballs\`. Then:`

/** The only file with secrets. */
async function secrets({ framework, store, features }: Choices): Promise<string> {
  const port = onWorkers(framework) ? [] : ['PORT=3000']
  const lines = [...port, `SECRET=${randomBytes(32).toString('base64url')}`]
  if (store === 'sqlite') lines.push('DATABASE_FILE=grantkit.db')
  if (store === 'postgres') lines.push('DATABASE_URL=postgres://postgres@127.0.0.1/postgres')
  if (store === 'redis') lines.push('REDIS_URL=redis://127.0.0.1:6379')
  if (features.includes('openid')) lines.push(`KEYS='${JSON.stringify(await newSigningKeys())}'`)
  return `${lines.join('\n')}\n`
}

function labelsOf({ framework, store, pages, features }: Choices): string {
  const chosen = [FRAMEWORKS[framework], STORES[store], PAGES[pages]]
  return [...chosen, ...features.map((one) => FEATURES[one])].map(({ label }) => label).join(', ')
}

/** A label of a host name, which a Worker has in its address. */
function workerName(name: string): string {
  const label = name.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 63)
  return label.replaceAll(/^-|-$/g, '') || 'notes'
}

export function json(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`
}
