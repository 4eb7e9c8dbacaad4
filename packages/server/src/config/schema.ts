import * as z from 'zod'
import { addressFields } from './address.ts'
import { Features } from './features.ts'
import { field } from './fields.ts'
import { Lifetimes } from './lifetimes.ts'
import { operationsFields } from './operations.ts'
import { peopleFields } from './people.ts'
import type { Origin } from './references.ts'
import { serviceFields } from './service.ts'
import { storageFields } from './storage.ts'

/** Everything that can be configured. @param origin where secrets and files are found */
export const configSchema = (origin: Origin) =>
  z.strictObject({
    $schema: field(z.string().optional(), 'the JSON Schema of this file, for editors'),
    ...addressFields,
    ...serviceFields(origin),
    ...storageFields(origin),
    ...peopleFields(origin),
    features: Features(origin).prefault({}),
    lifetimes: Lifetimes.prefault({}),
    ...operationsFields(origin),
  })

export type ConfigSchema = ReturnType<typeof configSchema>
/** A configuration as it is written: `grantkit.config.ts`. */
export type ServerConfig = z.input<ConfigSchema>
export type ParsedConfig = z.output<ConfigSchema>
