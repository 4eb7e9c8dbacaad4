import { randomBytes } from 'node:crypto'
import { newSigningKeys } from '@grantkit/core'
import { type Choices, FEATURES, FRAMEWORKS, onWorkers, PAGES, STORES, withNeeded } from './choices.ts'
import { installation } from './installation.ts'
import { manifestOf } from './manifest.ts'
import type { PackageSource } from './package-source.ts'
import { checkChoices } from './read-choices.ts'
import { filled, fromTemplate, readTemplate, type Values } from './template.ts'
import { minimumNode } from './versions.ts'
import { workerFiles } from './worker-files.ts'

/** The content of files by their names. */
export type ProjectFiles = Readonly<Record<string, string>>

const COMPILER_OPTIONS = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
}

/** Makes new secrets each time. @throws ChoiceError if choices exclude each other, or a package is missing */
export async function projectFiles(
  name: string,
  given: Choices,
  source: PackageSource,
): Promise<ProjectFiles> {
  checkChoices(given)
  const choices = { ...given, features: withNeeded(given.features) }
  const { framework, store, pages, features } = choices
  const workers = onWorkers(framework)
  const chosen = [
    ...(workers ? ['workers'] : []),
    store,
    pages,
    ...features,
    ...(features.some((one) => one !== 'openid') ? ['features'] : []),
  ]
  return {
    'package.json': json(manifestOf(name, choices, source)),
    'tsconfig.json': json({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }),
    'server.ts': fromTemplate('server.ts', chosen),
    'interaction.ts': fromTemplate(pages === 'own' ? 'interaction-own.ts' : 'interaction.ts', chosen),
    'app.ts': readTemplate(`${framework}.ts`),
    'README.md': filled(fromTemplate('README.md', chosen), readmeValues(name, choices, source)),
    [workers ? '.dev.vars' : '.env']: await secrets(choices),
    '.gitignore': ['node_modules', '.env', workers ? '.dev.vars\n.wrangler' : 'grantkit.db*', ''].join('\n'),
    ...(workers && workerFiles(name, chosen)),
  }
}

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

function readmeValues(name: string, choices: Choices, source: PackageSource): Values {
  const { framework, store, pages, features } = choices
  const labels = [FRAMEWORKS[framework], STORES[store], PAGES[pages], ...features.map((one) => FEATURES[one])]
  return {
    ...{ name, node: minimumNode() },
    choices: labels.map(({ label }) => label).join(', '),
    install: installation(source.kind),
  }
}

function json(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`
}
