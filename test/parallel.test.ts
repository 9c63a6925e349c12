// Imports the stories that wait long for a screen, a timeout or another program, so that they run at the same time.
import './formatting/interruptions.stories.ts'
import './package/install.stories.ts'
import './package/package.stories.ts'
import './terminal/panel-setup.stories.ts'
import './terminal/panel.stories.ts'
import './terminal/panel-faults.stories.ts'
import './terminal/screen.stories.ts'
import './terminal/demo.stories.ts'
