import { tellOfDocuments, tellOfOpenApi } from './documents-story.ts'
import { tellOfMcp } from './mcp-story.ts'
import { tellOfPages } from './pages-story.ts'
import { tellOfSchool } from './school-story.ts'
import type { Visitor } from './visitor.ts'

/** The stories, by the name of the file with their recorded answers. */
export const STORIES: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  documents: tellOfDocuments,
  mcp: tellOfMcp,
  openapi: tellOfOpenApi,
  pages: tellOfPages,
  school: tellOfSchool,
}
