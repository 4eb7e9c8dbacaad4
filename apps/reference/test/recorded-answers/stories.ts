import { documentsStory } from './documents-story.ts'
import { mcpStory } from './mcp-story.ts'
import { pagesStory } from './pages-story.ts'
import { schoolStory } from './school-story.ts'
import type { Visitor } from './visitor.ts'

/** The stories, by the name of the file with their recorded answers. */
export const STORIES: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  documents: documentsStory,
  mcp: mcpStory,
  pages: pagesStory,
  school: schoolStory,
}
