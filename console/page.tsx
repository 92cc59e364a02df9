import { render } from 'preact';
import { addressToLoad } from './address.ts';
import { App } from './app.tsx';
import { prepareRequests } from './data/requests.ts';

const address = addressToLoad(location);
if (address) location.replace(address);
else {
  prepareRequests();
  render(<App />, document.getElementById('page')!);
}
