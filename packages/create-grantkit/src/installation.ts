import type { PackageSource } from './package-source.ts'

/** The lines that install the packages of a project. */
export function installation(source: PackageSource['kind']): string {
  return source === 'tarballs' ? 'npm install' : `${NO_REGISTRY}\nnpm install`
}

const NO_REGISTRY = `# The packages are not in a registry yet. In a clone of the repository run \`npx -y pnpm@12 tarballs\`,
# and create the project with \`--packages tarballs\`. Then:`
