import { randomBytes } from 'node:crypto'
import { newSigningKeys } from '@grantkit/core'
import { type Choices, FEATURES, FRAMEWORKS, PAGES, STORES, withNeeded } from './choices.ts'
import { installation } from './installation.ts'
import { manifestOf } from './manifest.ts'
import type { PackageSource } from './package-source.ts'
import { checkFeatures } from './read-choices.ts'
import { fromTemplate, readTemplate } from './template.ts'
import { minimumNode } from './versions.ts'

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
  checkFeatures(given)
  const choices = { ...given, features: withNeeded(given.features) }
  const { store, pages, features } = choices
  const chosen = [
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
    'app.ts': readTemplate(`${choices.framework}.ts`),
    'README.md': readme(name, choices, source),
    '.env': await environment(choices),
    '.gitignore': ['node_modules', '.env', 'grantkit.db*', ''].join('\n'),
  }
}

/** Only `.env` has secrets. */
async function environment({ store, features }: Choices): Promise<string> {
  const lines = ['PORT=3000', `SECRET=${randomBytes(32).toString('base64url')}`]
  if (store === 'sqlite') lines.push('DATABASE_FILE=grantkit.db')
  if (store === 'postgres') lines.push('DATABASE_URL=postgres://postgres@127.0.0.1/postgres')
  if (store === 'redis') lines.push('REDIS_URL=redis://127.0.0.1:6379')
  if (features.includes('openid')) lines.push(`KEYS='${JSON.stringify(await newSigningKeys())}'`)
  return `${lines.join('\n')}\n`
}

function readme(name: string, choices: Choices, source: PackageSource): string {
  const { framework, store, pages, features } = choices
  const labels = [FRAMEWORKS[framework], STORES[store], PAGES[pages], ...features.map((one) => FEATURES[one])]
  const values: Readonly<Record<string, string>> = {
    ...{ name, node: minimumNode() },
    choices: labels.map(({ label }) => label).join(', '),
    install: installation(source.kind),
  }
  return readTemplate('README.md').replaceAll(/\{\{(\w+)\}\}/g, (_, key) => values[key] ?? '')
}

function json(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`
}
