import { render } from 'preact';
import { addressToLoad } from './address.ts';
import { App } from './app.tsx';

const address = addressToLoad(location);
if (address) location.replace(address);
else render(<App />, document.getElementById('page')!);
