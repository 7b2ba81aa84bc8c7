// Client of grpc-js that knows no .proto of the service: as grpcurl does, it learns messages and methods by reflection. Prints a line for each part
// that held. Arguments: port, folder of reflection.proto and health.proto.
'use strict';
const assert = require('assert');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [port, protos] = process.argv.slice(2);
const address = `127.0.0.1:${port}`;
const insecure = grpc.credentials.createInsecure();
const options = { keepCase: true, defaults: true };

function load(file) {
  return grpc.loadPackageDefinition(loader.loadSync(file, { ...options, includeDirs: [protos] }));
}

function within() {
  return { deadline: Date.now() + 20000 };
}

function unary(client, method, request, metadata = new grpc.Metadata(), limits = within()) {
  return new Promise((resolve, reject) => client[method](request, metadata, limits, (error, answer) => error ? reject(error) : resolve(answer)));
}

function all(stream) {
  return new Promise((resolve, reject) => {
    const messages = [];
    stream.on('data', message => messages.push(message)).on('error', reject).on('end', () => resolve(messages));
  });
}

async function fails(code, call) {
  const error = await call.then(() => null, cause => cause);
  assert.ok(error, 'it did not fail');
  assert.strictEqual(error.code, code, error.message);
  return error;
}

function held(what) {
  console.log(what);
}

async function reflected() {
  const client = new (load('reflection.proto').grpc.reflection.v1.ServerReflection)(address, insecure);
  async function ask(request) {
    const stream = client.ServerReflectionInfo(within());
    const answers = all(stream);
    stream.end(request);
    return (await answers)[0];
  }
  const names = (await ask({ list_services: '*' })).list_services_response.service.map(service => service.name);
  assert.ok(names.includes('vertxrdma.test.Interop'), names.join());
  const files = (await ask({ file_containing_symbol: 'vertxrdma.test.Interop' })).file_descriptor_response.file_descriptor_proto;
  client.close();
  held('reflection');
  // Field 1 of a FileDescriptorSet is its files.
  const set = Buffer.concat(files.map(file => {
    const length = [];
    for (let left = file.length; ; left >>>= 7) {
      length.push(left > 127 ? left & 127 | 128 : left);
      if (left <= 127) {
        return Buffer.concat([Buffer.from([10, ...length]), file]);
      }
    }
  }));
  return grpc.loadPackageDefinition(loader.loadFileDescriptorSetFromBuffer(set, options)).vertxrdma.test;
}

async function main() {
  const health = new (load('health.proto').grpc.health.v1.Health)(address, insecure);
  assert.strictEqual((await unary(health, 'Check', { service: 'vertxrdma.test.Interop' })).status, 1);
  health.close();
  held('health');

  const service = await reflected();
  const client = new service.Interop(address, insecure);
  await unary(client, 'EmptyCall', {});
  held('empty_unary');
  assert.strictEqual((await unary(client, 'UnaryCall', { response_size: 314159, payload: Buffer.alloc(271828) })).payload.length, 314159);
  held('large_unary');

  const sum = new Promise((resolve, reject) => {
    const stream = client.StreamingInputCall(within(), (error, answer) => error ? reject(error) : resolve(answer));
    [27182, 8, 1828, 45904].forEach(size => stream.write({ payload: Buffer.alloc(size) }));
    stream.end();
  });
  assert.strictEqual((await sum).aggregated_size, 74922);
  held('client_streaming');
  const sizes = [31415, 9, 2653, 58979];
  const many = await all(client.StreamingOutputCall({ response_parameters: sizes.map(size => ({ size })) }, within()));
  assert.deepStrictEqual(many.map(answer => answer.payload.length), sizes);
  held('server_streaming');
  const talk = client.FullDuplexCall(within());
  const heard = [];
  const over = new Promise((resolve, reject) => talk.on('error', reject).on('end', resolve));
  const ask = () => heard.length < sizes.length ? talk.write({ response_parameters: [{ size: sizes[heard.length] }] }) : talk.end();
  talk.on('data', answer => {
    heard.push(answer.payload.length);
    ask();
  });
  ask();
  await over;
  assert.deepStrictEqual(heard, sizes);
  held('ping_pong');

  const metadata = new grpc.Metadata();
  metadata.set('x-grpc-test-echo-initial', 'test_initial_metadata_value');
  metadata.set('x-grpc-test-echo-trailing-bin', Buffer.from([0xab, 0xab, 0xab]));
  await new Promise((resolve, reject) => {
    const call = client.UnaryCall({ response_size: 1 }, metadata, within(), error => error && reject(error));
    const initial = new Promise(told => call.on('metadata', told));
    call.on('status', async status => {
      assert.strictEqual((await initial).get('x-grpc-test-echo-initial')[0], 'test_initial_metadata_value');
      assert.deepStrictEqual(status.metadata.get('x-grpc-test-echo-trailing-bin')[0], Buffer.from([0xab, 0xab, 0xab]));
      resolve();
    });
  });
  held('custom_metadata');
  const words = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n';
  const status = await fails(2, unary(client, 'UnaryCall', { response_status: { code: 2, message: words } }));
  assert.strictEqual(status.details, words);
  held('special_status_message');
  await fails(grpc.status.UNIMPLEMENTED, unary(client, 'UnimplementedCall', {}));
  held('unimplemented_method');
  const cancelled = client.FullDuplexCall(within());
  const end = all(cancelled);
  cancelled.once('data', () => cancelled.cancel());
  cancelled.write({ response_parameters: [{ size: 31415 }] });
  await fails(grpc.status.CANCELLED, end);
  held('cancel_after_first_response');
  await fails(grpc.status.DEADLINE_EXCEEDED, all(client.FullDuplexCall({ deadline: Date.now() + 20 })));
  held('timeout_on_sleeping_server');
  const packed = new service.Interop(address, insecure, { 'grpc.default_compression_algorithm': 2 });
  assert.strictEqual((await unary(packed, 'UnaryCall', { response_size: 31415, payload: Buffer.alloc(27182) })).payload.length, 31415);
  held('client_compressed_unary');
  packed.close();
  client.close();
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
