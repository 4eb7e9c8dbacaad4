/** How an operator calls the commands of a service, for errors and pages that advise one. */
export interface CommandNames {
  readonly start: string
  readonly update: string
  readonly migrate: string
  readonly users: string
  readonly clients: string
  readonly integrations: string
  readonly trail: string
  readonly doctor: string
}

const GRANTKIT: CommandNames = {
  start: 'grantkit start',
  update: 'npm install @grantkit/server@latest',
  migrate: 'grantkit migrate',
  users: 'grantkit users',
  clients: 'grantkit clients',
  integrations: 'grantkit clients list --origin integration',
  trail: 'grantkit trail',
  doctor: 'grantkit doctor',
}

/** The names of a service, or of the program `grantkit`. */
export function commandNamesOf({
  commands,
}: {
  readonly commands?: CommandNames | undefined
} = {}): CommandNames {
  return commands ?? GRANTKIT
}
