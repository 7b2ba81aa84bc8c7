package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.Completable;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A stream that records the calls of its channel, and confirms writes when the test requests it. Confined to the channel's loop. */
final class Wire implements ByteStream {
  static final InetSocketAddress REMOTE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1234);

  final List<String> calls = new ArrayList<>();
  final ArrayDeque<Completable<Void>> pending = new ArrayDeque<>();
  final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
  Receiver receiver;
  int maxWrite = 64 << 10;
  boolean confirming = true;
  boolean gathers;
  private ByteBuf begun;
  boolean closed;
  ByteArrayOutputStream copy;

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    if (closed) {
      bytes.release();
      done.fail("closed");
      return;
    }
    calls.add("write " + bytes.readableBytes());
    if (copy != null) {
      copy.writeBytes(ByteBufUtil.getBytes(bytes));
    }
    pending.add(done);
    held.add(bytes);
    if (confirming) {
      confirmAll();
    }
  }

  @Override
  public boolean begin(int bytes) {
    begun = gathers && !closed ? Unpooled.buffer(0, bytes) : null;
    return begun != null;
  }

  @Override
  public void append(ByteBuf bytes) {
    begun.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
  }

  @Override
  public void finish(Completable<Void> done) {
    calls.add("finish");
    write(begun, done);
  }

  void confirm() {
    held.poll().release();
    pending.poll().succeed();
  }

  void confirmAll() {
    while (!pending.isEmpty()) {
      confirm();
    }
  }

  void failAll() {
    while (!pending.isEmpty()) {
      held.poll().release();
      pending.poll().fail("lost");
    }
  }

  @Override
  public int maxWrite() {
    return maxWrite;
  }

  @Override
  public void receiving(boolean on) {
    calls.add(on ? "go on" : "hold back");
  }

  @Override
  public void end() {
    calls.add("end");
  }

  @Override
  public void closing() {
    calls.add("closing");
  }

  @Override
  public void close() {
    calls.add("close");
  }

  @Override
  public void abort(String why) {
    calls.add("abort");
  }

  @Override
  public SocketAddress localAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 50_000);
  }

  @Override
  public SocketAddress remoteAddress() {
    return REMOTE;
  }
}
