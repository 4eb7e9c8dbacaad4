import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob, posix, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEPENDENCY_RULE, importsOf, type SourceFile, violations } from './dependency-rule.ts'

const ROOT = join(import.meta.dirname, '..')

describe('the dependency rule', () => {
  it('is kept by every source file of every package and example', () => {
    expect(violations(sources())).toEqual([])
  })

  it('has no row without a file', () => {
    const paths = sources().map(({ path }) => path)
    const idle = DEPENDENCY_RULE.filter(({ files }) => !paths.some((path) => matchesGlob(path, files)))
    expect(idle).toEqual([])
  })

  it('leaves the tests of a package to that package: what several share is a package too', () => {
    const folderOf = (path: string) => path.split('/', 2).join('/')
    const foreign = filesOf([
      'packages/*/{src,test}/**/*.ts',
      'apps/*/{src,test,load,fuzz}/**/*.ts',
      'benchmarks/*/*.ts',
    ])
      .flatMap(({ path, source }) => importsOf(source).map(({ specifier }) => ({ path, specifier })))
      .map(({ path, specifier }) => ({ path, target: posix.join(posix.dirname(path), specifier) }))
      .filter(
        ({ path, target }) => folderOf(path) !== folderOf(target) && /^\w+\/[\w-]+\/test\//.test(target),
      )
    expect(foreign).toEqual([])
  })

  it.each([
    [
      'grants/authorization-code/x.ts',
      "import { z } from 'zod'\nimport { sha256 } from '../../kernel/secrets.ts'",
    ],
    [
      'kernel/x.ts',
      "/**\n * import { readFile } from 'node:fs'\n * import('hono')\n */\nexport const a = 'from'",
    ],
    ['openid/x.ts', "import { SignJWT } from 'jose'\nimport { hash } from 'node:crypto'"],
    ['openid/x.ts', "import { accessOf } from '../resource/guard.ts'"],
    ['clients/authentication/x.ts', "import { limit } from '../../limits/rate-limits.ts'"],
    ['authorization/x.ts', "import { approve } from './approval.ts'"],
    ['index.ts', "export { createAuthorizationServer } from './authorization-server.ts'"],
  ])('lets packages/core/src/%s hold %j', (file, source) => {
    expect(violations([{ path: `packages/core/src/${file}`, source }])).toEqual([])
  })

  it.each([
    ['kernel/x.ts', "import { y } from '../http/y.ts'", 'must not import ../http/y.ts'],
    ['grants/x.ts', "import { y } from '../authorization/y.ts'", 'must not import ../authorization/y.ts'],
    ['grants/x.ts', "import type { Y } from '../resource/y.ts'", 'must not import ../resource/y.ts'],
    ['grants/x.ts', "import type { Feature } from '../feature.ts'", 'must not import ../feature.ts'],
    ['grants/x.ts', "import { now } from 'node:process'", 'must not import node:process'],
    ['clients/x.ts', "export * from '../options.ts'", 'must not import ../options.ts'],
    ['kernel/x.ts', "const y = await import('../http/http.ts')", 'must not import ../http/http.ts'],
    ['kernel/x.ts', "import '../http/http.ts'", 'must not import ../http/http.ts'],
    ['limits/x.ts', "import { y } from '../tokens/y.ts'", 'must not import ../tokens/y.ts'],
    ['tokens/x.ts', "import { y } from '../limits/y.ts'", 'must not import ../limits/y.ts'],
    ['discovery/x.ts', "import { y } from '../openid/y.ts'", 'must not import ../openid/y.ts'],
    ['feature.ts', "import { o } from './options.ts'", 'must not import ./options.ts'],
    [
      'options.ts',
      "import { c } from './authorization-server.ts'",
      'must not import ./authorization-server.ts',
    ],
    ['http/http.ts', "import { createServer } from 'node:http'", 'must not import node:http'],
    ['helpers/x.ts', '', 'is in no row of the dependency rule'],
    ['x.ts', '', 'is in no row of the dependency rule'],
  ])('refuses that packages/core/src/%s holds %j', (file, source, message) => {
    const path = `packages/core/src/${file}`
    expect(violations([{ path, source }])).toEqual([`${path} ${message}`])
  })

  it.each([
    [
      'packages/store-memory/src/index.ts',
      "import { OAuthError } from '@grantkit/core'",
      'must import only types from @grantkit/core, by `import type`',
    ],
    [
      'packages/store-memory/src/index.ts',
      "import type { Store } from '../../core/src/kernel/store.ts'",
      'must not import ../../core/src/kernel/store.ts',
    ],
    [
      'packages/adapter-fastify/src/index.ts',
      "import { createMemoryStore } from '@grantkit/store-memory'",
      'must not import @grantkit/store-memory',
    ],
    ['packages/adapter-fastify/src/index.ts', "import { z } from 'zod'", 'must not import zod'],
    [
      'packages/doctor/src/evidence.ts',
      "import { addressOf } from '../../core/src/paths.ts'",
      'must not import ../../core/src/paths.ts',
    ],
    ['packages/adapter-express/src/body.ts', "import raw from 'raw-body'", 'must not import raw-body'],
    ['packages/adapter-koa/src/index.ts', '', 'is in no row of the dependency rule'],
  ])('refuses that %s holds %j', (path, source, message) => {
    expect(violations([{ path, source }])).toEqual([`${path} ${message}`])
  })
})

function sources(): SourceFile[] {
  const files = filesOf(['packages/*/src/**/*.ts', 'examples/*/*.ts'])
  return files.filter(({ path }) => !path.endsWith('.test.ts'))
}

function filesOf(globs: string[]): SourceFile[] {
  const paths = globSync(globs, { cwd: ROOT }).map((path) => path.split(sep).join('/'))
  return paths.map((path) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }))
}
