/** Runs with these variables of the environment, and puts back what was there. */
export async function withEnvironment<T>(
  variables: Record<string, string>,
  run: () => Promise<T>,
): Promise<T> {
  const before = { ...process.env }
  const warn = process.emitWarning
  // Node warns of an environment that turns verification off, which is what is tested.
  process.emitWarning = () => {}
  Object.assign(process.env, variables)
  try {
    return await run()
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
    Object.assign(process.env, before)
    process.emitWarning = warn
  }
}
