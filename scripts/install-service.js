import { install } from './install.js'

/** Installs the reference service. The standard output is that of the program that runs next. */
process.exitCode = install([
  '--prod',
  ...['--filter-prod', '@grantkit/reference...', '--filter-prod', 'grantkit-workspace'],
])
