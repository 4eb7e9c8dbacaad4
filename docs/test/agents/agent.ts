import type { RunOptions } from './run-program.ts'
import type { ModelWire } from './scripted-model.ts'

/** A program with a terminal and a model, as people install it. */
export interface Agent {
  /** As in the table of clients, which also says the version. */
  readonly name: string
  readonly npmPackage: string
  readonly wire: ModelWire
  /** The requested scopes of its sign-ins, in order. */
  readonly asks: readonly (string | null)[]
  /** What it prints of a tool that needs more scopes. Without it, the agent asks for all scopes at once. */
  readonly refusal?: string
  /** Writes its settings. */
  open(surroundings: Surroundings): Promise<OpenAgent>
}

/** The environment of an agent: its own home, and no network. */
interface Surroundings extends RunOptions {
  /** Its home, and the folder it works in. */
  readonly cwd: string
  /** The `node_modules` that it was installed into. */
  readonly modules: string
  readonly mcpServer: string
  readonly model: string
}

/** Each call is a process of the agent. */
export interface OpenAgent {
  signIn(): Promise<unknown>
  /** Asks its model for something. @returns what it prints */
  prompt(): Promise<string>
  /** The user signs in for more. Without it, a tool that is refused stays refused. */
  signInForMore?(): Promise<unknown>
}
