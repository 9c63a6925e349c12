/** The folder `tools/`: defines seven tools, whose descriptions the model reads in every request. */
export const DESCRIPTIONS = {
  'discover-rules':
    'Read instruction files; then, file by file, parse-rules, format-rules, rewrite-rules or add-rules.',
  'parse-rules': 'Check rules split from a text; leave out what is plain already.',
  'format-rules':
    'Check the wording of parsed rules: one text each, same order, language of the file, any words (do not, never). Each replaces exactly its source, so it must fit the words around it; texts of one source follow each other, list items (- …) on own lines.',
  'rewrite-rules':
    'Put each text in the place of its source; the rest stays. Without sources: replace the file.',
  'add-rules': 'Add rules to a file, in its form.',
  'parse-prompt': 'Check tasks split from a request; then format-prompt without tasks.',
  'format-prompt': 'Render tasks as a tree.',
}

export const ARGUMENTS = {
  files: 'Comma-separated; default: all',
  formattedRules: 'Rule: do not use eval\nReason: It runs any text.',
  mode: 'verbose: with Reason; balanced (default): where it helps; concise: - do not use eval',
  rulesToRewrite: 'Default: what format-rules validated',
  filesToRewrite: 'Default: the files with the sources',
  restore: 'latest or a backup',
  fileToAddTo: "Default: the project's",
  after: 'words of the heading or rule before them',
  tasksToRender: 'Default: what parse-prompt accepted',
}
