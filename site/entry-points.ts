/** What can be imported from the published packages. Each entry point has one page of the API reference. */
import { publishablePackages } from '../scripts/packages/publishable.ts'

interface EntryPoint {
  /** As it is imported: `@grantkit/core/device`. */
  readonly specifier: string
  /** Its page below `site/`, as TypeDoc writes it. */
  readonly file: string
}

/** Programs alone have no API: TypeDoc refuses a package without entry points. */
export const documentedPackages = publishablePackages().filter(({ manifest }) => manifest.exports)

export const entryPoints: readonly EntryPoint[] = documentedPackages.flatMap(({ manifest }) => {
  const { name, publishConfig } = manifest
  const paths = Object.keys(publishConfig?.exports ?? {})
  const root = paths.length === 1 ? `reference/${name}.md` : `reference/${name}/README.md`
  return paths.map((path) => ({
    specifier: path === '.' ? name : `${name}${path.slice(1)}`,
    file: path === '.' ? root : `reference/${name}${path.slice(1)}.md`,
  }))
})
