// A call in a page without the service's own script, written from docs/browser-calls.md. `server.ts` bundles it with mediasoup-client.
import { Device } from 'mediasoup-client';

const status = document.querySelector('#status');
const transcript = document.querySelector('#transcript');
const lines = { user: null, agent: null };
let call = null;

document.querySelector('#call').onclick = async () => {
  status.textContent = 'Connecting…';
  try {
    const response = await fetch('/start-call', { method: 'POST' });
    if (!response.ok) throw new Error(`no call: ${response.status}`);
    call = await startCall(await response.json());
    status.textContent = 'Connected';
  } catch (error) {
    status.textContent = `Failed: ${error.message}`;
  }
};
document.querySelector('#mute').onclick = () => call?.mute();
document.querySelector('#hang-up').onclick = () => call?.hangUp();
addEventListener('pagehide', () => call?.hangUp());

async function startCall({ url, ice_servers }) {
  const device = new Device();
  const transports = {};
  let signalling;
  let producer;
  let microphone;
  let pings;
  let muted = false;
  let reconnecting = false;
  let over = false;

  const ready = await connect();
  await device.load({ routerRtpCapabilities: ready.rtp_capabilities });
  for (const direction of ['send', 'receive']) {
    const { id, ice_parameters, ice_candidates, dtls_parameters } = ready[direction];
    const options = {
      id,
      iceParameters: ice_parameters,
      iceCandidates: ice_candidates,
      dtlsParameters: dtls_parameters,
      iceServers: ice_servers,
    };
    const transport = direction === 'send' ? device.createSendTransport(options) : device.createRecvTransport(options);
    transports[direction] = transport;
    transport.on('connect', ({ dtlsParameters }, done, failed) => {
      signalling.request({ type: 'connect', direction, dtls_parameters: dtlsParameters }).then(() => done(), failed);
    });
    transport.on('connectionstatechange', (state) => {
      if (state === 'failed') void restartIce();
    });
  }
  transports.send.on('produce', ({ rtpParameters }, done, failed) => {
    signalling
      .request({ type: 'send', rtp_parameters: rtpParameters })
      .then(({ producer_id }) => done({ id: producer_id }), failed);
  });

  microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
  const codecOptions = { opusStereo: false, opusFec: true, opusDtx: true, opusNack: true };
  producer = await transports.send.produce({ track: microphone.getAudioTracks()[0], codecOptions });
  const given = await signalling.request({ type: 'receive', rtp_capabilities: device.recvRtpCapabilities });
  const consumer = await transports.receive.consume({
    id: given.consumer_id,
    producerId: given.producer_id,
    kind: 'audio',
    rtpParameters: given.rtp_parameters,
  });
  const speaker = document.querySelector('audio');
  speaker.srcObject = new MediaStream([consumer.track]);
  await speaker.play();
  await signalling.request({ type: 'play' });
  pings = setInterval(() => signalling.request({ type: 'ping' }).catch(() => {}), 2_000);

  return {
    mute() {
      muted = !muted;
      if (muted) producer.pause();
      else producer.resume();
      void signalling.request({ type: 'mute', muted });
    },
    hangUp: () => void signalling.request({ type: 'hang_up' }).catch(() => {}),
  };

  /** Opens the socket and resolves with `ready`. */
  function connect() {
    return new Promise((resolve, reject) => {
      const opened = openSignalling(url, (message) => {
        if (message.type === 'ready') resolve(message);
        if (message.type === 'transcript') showLine(message);
        if (message.type === 'ended') end(message.reason);
      });
      signalling = opened;
      opened.closed.then(() => {
        reject(new Error('the socket closed'));
        if (!over && producer && !reconnecting) void reconnect(performance.now() + 15_000);
      });
    });
  }

  async function reconnect(untilMs) {
    reconnecting = true;
    status.textContent = 'Reconnecting…';
    while (!over && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const isBack = await connect().then(
        () => true,
        () => false,
      );
      if (!isBack) continue;
      await restartIce();
      if (muted) await signalling.request({ type: 'mute', muted });
      status.textContent = 'Connected';
      reconnecting = false;
      return;
    }
    end('connection lost');
  }

  async function restartIce() {
    for (const direction of ['send', 'receive']) {
      const { ice_parameters } = await signalling.request({ type: 'restart_ice', direction });
      await transports[direction].restartIce({ iceParameters: ice_parameters });
    }
  }

  function end(reason) {
    if (over) return;
    over = true;
    clearInterval(pings);
    for (const transport of Object.values(transports)) transport.close();
    for (const track of microphone?.getTracks() ?? []) track.stop();
    status.textContent = `Ended: ${reason}`;
  }
}

/** A WebSocket with numbered requests. */
function openSignalling(url, onMessage) {
  const socket = new WebSocket(url);
  const waiting = new Map();
  let lastId = 0;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === 'response') waiting.get(message.id)?.resolve(message.data);
    else if (message.type === 'error') waiting.get(message.id)?.reject(new Error(message.message));
    else onMessage(message);
    if (message.id !== undefined) waiting.delete(message.id);
  };
  const closed = new Promise((resolve) => {
    socket.onclose = () => {
      for (const { reject } of waiting.values()) reject(new Error('the socket closed'));
      resolve();
    };
  });
  return {
    closed,
    request: (message) =>
      new Promise((resolve, reject) => {
        waiting.set(++lastId, { resolve, reject });
        socket.send(JSON.stringify({ id: lastId, ...message }));
      }),
  };
}

/** Lines that are not final are replaced by the next of the same role. */
function showLine({ role, text, final }) {
  lines[role] ??= transcript.appendChild(document.createElement('p'));
  lines[role].textContent = `${role === 'user' ? 'You' : 'Agent'}: ${text}`;
  if (final) lines[role] = null;
}
