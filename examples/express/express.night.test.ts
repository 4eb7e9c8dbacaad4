import { describeNotesExample } from '../notes-example.ts'

describeNotesExample('Express', import.meta.dirname)
