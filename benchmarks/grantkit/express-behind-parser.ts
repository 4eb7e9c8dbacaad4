import express from 'express'
import type { StartTarget } from '../src/target.ts'
import { serve } from './express.ts'
import { grantkitTarget } from './target.ts'

/** Mounted behind the parser of Express, which reads every form before the adapter. */
export const start: StartTarget = (port) =>
  grantkitTarget(port, (service) => serve(service, port, express.urlencoded({ extended: false })))
