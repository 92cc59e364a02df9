import { render } from 'preact';
import { addressToLoad } from './address.ts';
import { App } from './app.tsx';
import { prepareRequests } from './data/requests.ts';
import { watchBack } from './ui/leaving.ts';
import './style.css';
import './ui/ui.css';
import './account.css';
import { startTexts } from './texts/texts.ts';
import { applyTheme, chosenTheme } from './theme.ts';

applyTheme(chosenTheme());
const address = addressToLoad(location);
if (address) location.replace(address);
else {
  prepareRequests();
  watchBack();
  await startTexts();
  render(<App />, document.getElementById('page')!);
}
