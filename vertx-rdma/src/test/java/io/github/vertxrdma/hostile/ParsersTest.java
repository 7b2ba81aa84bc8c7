package io.github.vertxrdma.hostile;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.SealedKey;
import io.github.vertxrdma.impl.api.RequestFrame;
import io.github.vertxrdma.impl.calls.Received;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.node.ConnectionProofs;
import io.github.vertxrdma.impl.node.EndDescription;
import io.github.vertxrdma.impl.node.Outage;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlSocket;
import io.github.vertxrdma.impl.peers.DirectoryCache;
import io.github.vertxrdma.impl.peers.Hello;
import io.github.vertxrdma.impl.peers.Join;
import io.github.vertxrdma.impl.peers.PeerEntries;
import io.github.vertxrdma.impl.peers.Questions.Numbered;
import io.github.vertxrdma.impl.poll.WakeFile;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.impl.region.KeySeal;
import io.github.vertxrdma.impl.region.PublishedRecord;
import io.github.vertxrdma.impl.region.RegionDescription;
import io.github.vertxrdma.impl.region.RegionToken;
import io.github.vertxrdma.impl.support.FedPipe;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/** All parsers of bytes from other processes. */
class ParsersTest implements ParserContract {
  private static final KeySeal SEAL = new KeySeal(ClusterSecret.of(Sample.bytes(32)));

  @Override
  public List<Parser> parsers() {
    return List.of(
      new Parser("connect-request", RdmaException.class, ConnectRequest::decode),
      new Parser("connect-accept", RdmaException.class, ConnectAccept::decode),
      new Parser("greeting", IllegalArgumentException.class, bytes -> Greeting.decode(bytes).withoutHandshake().encode()),
      new Parser("frames", RdmaException.class, new FrameReading(), 50),
      new Parser("end-description", RdmaException.class, bytes -> EndDescription.decode(checked(bytes)).toString()),
      new Parser("region-description", IllegalArgumentException.class, bytes -> RegionDescription.decode(bytes).encode()),
      new Parser("region-token", IllegalArgumentException.class, bytes -> RegionToken.decode(bytes).encode()),
      new Parser("sealed-key", RdmaException.class, bytes -> SEAL.unseal(Sample.REGION, new SealedKey("tcp", bytes))),
      new Parser("record", IllegalArgumentException.class, ParsersTest::record),
      new Parser("directory-entry", IllegalArgumentException.class, bytes -> told(DirectoryEntry.fromBuffer(Buffer.buffer(bytes)))),
      new Parser("directory-message", IllegalArgumentException.class,
        bytes -> new PeerEntries("node-a", new DirectoryCache()).receive(Buffer.buffer(bytes))),
      new Parser("control-frames", IllegalArgumentException.class, ParsersTest::controlFrames),
      new Parser("control-hello", IllegalArgumentException.class, bytes -> Hello.read(Buffer.buffer(bytes)).payload()),
      new Parser("control-join", IllegalArgumentException.class, bytes -> told(Join.read(Buffer.buffer(bytes)).self())),
      new Parser("control-question", IllegalArgumentException.class, bytes -> Numbered.question(Buffer.buffer(bytes), 8).rest().getLong(0)),
      new Parser("control-answer", IllegalArgumentException.class, bytes -> Numbered.answer(Buffer.buffer(bytes))),
      new Parser("connection-question", IllegalArgumentException.class, bytes -> ConnectionProofs.Question.read(bytes).encode()),
      new Parser("outage", IllegalArgumentException.class, bytes -> Outage.decode(Buffer.buffer(bytes)).encode()),
      new Parser("statistics", IllegalArgumentException.class,
        bytes -> RecordJson.read(NodeStatistics.class, Buffer.buffer(bytes)).toJson().encode(), 5),
      new Parser("bus-message", IllegalArgumentException.class, ParsersTest::busMessage),
      new Parser("request", IllegalArgumentException.class, ParsersTest::request),
      new Parser("wake-file", IOException.class, WakeFile::parse));
  }

  private static void record(byte[] bytes) {
    byte[] read = Arrays.copyOf(bytes, Math.max(bytes.length, PublishedRecord.HEADER));
    int length = PublishedRecord.check(read);
    if (length < 0) {
      throw new IllegalArgumentException("no record: " + length);
    }
    Arrays.copyOfRange(read, PublishedRecord.HEADER, PublishedRecord.HEADER + length);
  }

  private static void controlFrames(byte[] bytes) {
    FedPipe pipe = new FedPipe();
    new ControlSocket(pipe, 1 << 10, (type, payload) -> {}, cause -> {
      throw (IllegalArgumentException) cause;
    });
    Buffer all = Buffer.buffer(bytes);
    pipe.feed(all.getBuffer(0, bytes.length / 2));
    pipe.feed(all.getBuffer(bytes.length / 2, bytes.length));
  }

  private static void request(byte[] bytes) {
    HeapBuffer frame = new HeapBuffer(bytes);
    if (RequestFrame.type(frame) == null) {
      throw new IllegalArgumentException("no request");
    }
    RequestFrame.number(frame);
    RequestFrame.body(frame).toString(StandardCharsets.UTF_8);
  }

  private static void busMessage(byte[] bytes) {
    Received message = Received.of(Unpooled.wrappedBuffer(bytes));
    message.headers();
    if (message.kind() == 5) {
      message.failure(null);
    } else {
      message.body();
      message.ownBody();
    }
  }

  private static void told(DirectoryEntry entry) {
    entry.toString();
    entry.toJson().encode();
    DirectoryEntry.fromBuffer(entry.toBuffer());
    new DirectoryCache().keepOf(entry.nodeId(), "", "", Set.of(entry.key()));
  }

  /** Half of the inputs get a correct checksum, so that the rest is read. */
  private static byte[] checked(byte[] bytes) {
    if (bytes.length < 11 || (bytes[bytes.length - 1] & 1) == 0) {
      return bytes;
    }
    byte[] right = Arrays.copyOf(bytes, Math.min(bytes.length, 0xffff));
    right[5] = (byte) (right.length >> 8);
    right[6] = (byte) right.length;
    CRC32C checksum = new CRC32C();
    checksum.update(right, 0, right.length - 4);
    for (int i = 0; i < 4; i++) {
      right[right.length - 4 + i] = (byte) (checksum.getValue() >> 24 - 8 * i);
    }
    return right;
  }
}
