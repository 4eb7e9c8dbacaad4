import { type Choice, type Choices, FEATURES, FRAMEWORKS, onWorkers, PAGES, STORES } from './choices.ts'
import type { PackageSource } from './package-source.ts'
import { minimumNode } from './versions.ts'

const EVERY_FEATURE: Readonly<Record<string, Choice>> = FEATURES

const ON_NODE = { start: 'node --env-file=.env app.ts', dev: 'node --watch --env-file=.env app.ts' }
// Deployed with an issuer of this computer, the sample session would sign in everybody.
const ON_WORKERS = {
  start: 'wrangler dev --var ISSUER:http://127.0.0.1:3000',
  deploy: 'wrangler deploy --secrets-file .dev.vars',
}

/** What a package brings by itself from a registry. A folder of tarballs is none, so there each of them is named. */
const BROUGHT: Readonly<Record<string, readonly string[]>> = { '@grantkit/pages': ['@grantkit/explain'] }

/** The `package.json` of a project. */
export function manifestOf(name: string, choices: Choices, source: PackageSource): object {
  const needed = [FRAMEWORKS[choices.framework], STORES[choices.store], PAGES[choices.pages]]
  const features = choices.features.map((feature) => EVERY_FEATURE[feature])
  const chosen = [
    '@grantkit/core',
    ...[...needed, ...features].flatMap((choice) => choice?.dependencies ?? []),
  ]
  const brought = source.kind === 'tarballs' ? chosen.flatMap((name) => BROUGHT[name] ?? []) : []
  const names = [...chosen, ...brought]
  const workers = onWorkers(choices.framework)
  const tools = names.filter((one) => one.startsWith('@types/') || one === 'wrangler')
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: `>=${minimumNode()}` },
    scripts: { ...(workers ? ON_WORKERS : ON_NODE), typecheck: 'tsc' },
    dependencies: versionsOf(
      names.filter((one) => !tools.includes(one)),
      source,
    ),
    devDependencies: versionsOf([...tools, '@types/node', 'typescript'], source),
  }
}

/** A name that npm accepts. */
export function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+/, '')
  return name.slice(0, 214) || 'notes'
}

function versionsOf(names: readonly string[], { version }: PackageSource): Record<string, string> {
  return Object.fromEntries(names.toSorted().map((name) => [name, version(name)]))
}
