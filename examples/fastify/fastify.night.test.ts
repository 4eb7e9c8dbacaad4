import { describeNotesExample } from '../notes-example.ts'

describeNotesExample('Fastify', import.meta.dirname)
