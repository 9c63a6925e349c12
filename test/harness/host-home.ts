/** Prepares a home and environment in which a host needs no download, and no file of the person who runs the test. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ScriptedModel } from './model.ts'

const HOST_VERSION =
  (createRequire(import.meta.url)('opencode-ai/package.json') as { version: string }).version

/** For a model of this name, the host offers `apply_patch` instead of `edit` and `write`. */
export const PATCH_MODEL = 'gpt-5.2'

const modelOf = (name: string) => ({ name, tool_call: true, limit: { context: 200_000, output: 8_000 } })

const hostConfig = (model: ScriptedModel) => ({
  model: 'fake/m',
  small_model: 'fake/m',
  share: 'disabled',
  autoupdate: false,
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: model.url, apiKey: 'none' },
      models: { m: modelOf('m'), [PATCH_MODEL]: modelOf(PATCH_MODEL) },
    },
  },
})

export const OFFLINE = {
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_fetch_retries: '0',
  npm_config_audit: 'false',
}

export const hostEnv = (home: string, model: ScriptedModel, env = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_DATA_HOME: join(home, 'data'),
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CACHE_HOME: join(home, 'cache'),
  // At each start, the host unpacks 5 MB into the temporary folder. In `home`, this folder is removed after the tests.
  ...Object.fromEntries(['TMPDIR', 'TMP', 'TEMP'].map((name) => [name, join(home, 'tmp')])),
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  // An empty list, because reading the built-in list of all providers takes two seconds for each project.
  OPENCODE_MODELS_PATH: join(home, 'models.json'),
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  // The host's index of file names would use up the 128 inotify instances that Linux allows a user.
  OPENCODE_DISABLE_FFF: '1',
  // In a short test, these optimizations of JavaScriptCore cost more time than they save.
  BUN_JSC_useFTLJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_numberOfGCMarkers: '1',
  ...OFFLINE,
  OPENCODE_CONFIG_CONTENT: JSON.stringify(hostConfig(model)),
  ...env,
})

export const writeInto = (directory: string, files: Record<string, string | Uint8Array>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

/** Makes the host believe that a config folder has the plugins' SDK, which takes 10 s to install. */
export const skipPluginInstall = (configFolder: string): void => {
  const dependencies = { '@opencode-ai/plugin': HOST_VERSION }
  writeInto(configFolder, {
    'package.json': JSON.stringify({ dependencies }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies } } }),
    '.gitignore': 'node_modules\npackage.json\npackage-lock.json\n.gitignore\n',
  })
  mkdirSync(join(configFolder, 'node_modules'), { recursive: true })
}

export const fillHome = (home: string, plugin: Array<unknown>): void => {
  skipPluginInstall(join(home, 'config', 'opencode'))
  writeInto(home, {
    // Git snapshots take half of a turn's time.
    'config/opencode/opencode.json': JSON.stringify({ plugin, snapshot: false }),
    'models.json': '{}',
    'tmp/.keep': '',
    'state/opencode/kv.json': JSON.stringify({ animations_enabled: false }),
  })
}
