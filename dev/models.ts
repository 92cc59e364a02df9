import { MODEL_FILES } from '../shared/model-files.ts';
import { fetchModel } from './fetch-model.ts';

/** `make models`: fetches the weights that no package ships, with their checksums. */

const folder = process.env.MODELS_DIR || 'models';
const wanted = process.env.NAME ?? '';
const models = MODEL_FILES.filter(({ name }) => wanted === '' || name === wanted);
if (models.length === 0) {
  const names = MODEL_FILES.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no model ${wanted}. There are: ${names}\n`);
  process.exit(2);
}

let failed = false;
for (const model of models) {
  const { name, file, bytes, licence, purpose } = model;
  const megabytes = (count: number) => (count / 1e6).toFixed(1);
  process.stdout.write(`${name}: ${purpose} (${file}, ${megabytes(bytes)} MB, ${licence})\n`);
  let shown = -1;
  const onProgress = (got: number) => {
    const percent = Math.floor((got / bytes) * 100);
    if (percent === shown || (!process.stdout.isTTY && percent % 25 !== 0)) return;
    shown = percent;
    const line = `  ${percent} %, ${megabytes(got)} MB`;
    process.stdout.write(process.stdout.isTTY ? `\r${line}` : `${line}\n`);
  };
  try {
    const { path, fetched } = await fetchModel(model, { folder, onProgress });
    if (fetched && process.stdout.isTTY) process.stdout.write('\n');
    process.stdout.write(`  ${fetched ? 'fetched' : 'is there already'}: ${path}\n`);
  } catch (error) {
    failed = true;
    process.stderr.write(`  ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
if (!failed) process.stdout.write(`\n\`make up\` uses them. An engine elsewhere does with MODELS_DIR=${folder}\n`);
process.exitCode = failed ? 1 : 0;
