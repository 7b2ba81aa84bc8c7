package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.transport.SimulatedChannels.Movable;
import io.github.vertxrdma.impl.transport.SimulatedTcp;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/** A TCP connection that moves to the fabric, with numbered messages in both directions. */
final class MovingTalk {
  private static final int LENGTH = Integer.BYTES;
  private static final int LARGEST = 1 << 20;

  final int number;
  final SimulatedTcp tcp;
  final Side client = new Side("client");
  final Side server = new Side("server");
  boolean known;
  private final MovingConversation conversation;

  MovingTalk(MovingConversation conversation, int number, SimulatedTcp tcp) {
    this.conversation = conversation;
    this.number = number;
    this.tcp = tcp;
    client.peer = server;
    server.peer = client;
  }

  final class Side {
    final String name;
    private Side peer;
    Movable movable;
    DuplexChannel channel;
    boolean connected;
    boolean left;
    boolean ended;
    boolean over;
    boolean halfClosure;
    boolean unflushed;
    boolean shutDown;
    private boolean broken;
    private int written;
    private int taken;
    private int read;
    private int writing;

    Side(String name) {
      this.name = name;
    }

    boolean isRegistered() {
      return channel != null && channel.isRegistered();
    }

    void use(Movable made, boolean halfCloses) {
      movable = made;
      halfClosure = halfCloses;
      channel = made.channel;
      channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0);
      channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, halfCloses);
      channel.config().setAllocator(conversation.allocator);
      channel.pipeline().addLast(new LengthFieldBasedFrameDecoder(LARGEST, 0, LENGTH, 0, LENGTH), new ChannelInboundHandlerAdapter() {
        @Override
        public void channelActive(ChannelHandlerContext context) {
          connected = true;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
          read((ByteBuf) message);
          ((ByteBuf) message).release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
          if (event == ChannelInputShutdownEvent.INSTANCE) {
            if (!halfClosure) {
              conversation.violated("the " + name + " was told of a half-closed connection");
            }
            end();
          }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
          conversation.trace.say(cause);
          broken = true;
          if (conversation.isCalm && !left && !peer.left) {
            conversation.violated("the " + name + " failed, and nothing had happened: " + cause);
          }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
          over = true;
          end();
        }
      });
    }

    /** Everything that the peer completed was read, unless this side closed first, or was told of a failure. */
    private void end() {
      if (ended) {
        return;
      }
      ended = true;
      conversation.count("ends");
      if (connected && !broken && !left && peer.taken > read && !conversation.isDead(this == client)) {
        conversation.violated("the " + name + " was told of the end after " + read + " of " + peer.taken + " complete messages: " + movable
          + "; at its peer: " + peer.movable);
      }
    }

    void write(int size, boolean flush) {
      ByteBuf bytes = conversation.allocator.heapBuffer(2 * LENGTH + size);
      bytes.writeInt(LENGTH + size).writeInt(written);
      for (int i = 0; i < size; i++) {
        bytes.writeByte(value(written, i));
      }
      int place = written++;
      writing++;
      bytes.retain();
      unflushed = !flush;
      (flush ? channel.writeAndFlush(bytes) : channel.write(bytes)).addListener(done -> {
        writing--;
        if (bytes.refCnt() > 1) {
          conversation.violated("a write completed while its buffer was in use");
        }
        bytes.release();
        if (done.isSuccess() && place != taken++) {
          conversation.violated("write " + place + " completed where " + (taken - 1) + " was due");
        }
      });
    }

    private void read(ByteBuf message) {
      int found = message.readInt();
      conversation.trace.note("read", number, found, message.readableBytes());
      conversation.count("messages read");
      if (found != read++) {
        conversation.violated("message " + found + " was read where " + (read - 1) + " was due");
      }
      int size = message.readableBytes();
      for (int i = 0; i < size; i++) {
        if (message.getByte(message.readerIndex() + i) != peer.value(found, i)) {
          conversation.violated("byte " + i + " of message " + found + " is none that was written there");
        }
      }
    }

    private byte value(int message, int place) {
      return (byte) ((this == client ? 7 : 13) * number + message * 31 + place);
    }

    void flush() {
      if (unflushed) {
        unflushed = false;
        channel.flush();
      }
    }

    void shutDownOutput() {
      shutDown = true;
      flush();
      // A socket drops what the kernel does not have, so the application waits for its writes.
      channel.writeAndFlush(conversation.allocator.buffer(0)).addListener(done -> channel.shutdownOutput());
    }

    void checkArrived() {
      if (read != peer.written || taken != written) {
        conversation.violated("the " + name + " read " + read + " of " + peer.written + " messages, and " + taken + " of " + written
          + " were taken: " + movable + "; at its peer: " + peer.movable);
      }
    }

    void checkOver() {
      if (writing > 0) {
        conversation.violated(writing + " writes of the " + name + " never completed: " + movable + "; at its peer: " + peer.movable);
      }
      if (channel.isOpen()) {
        conversation.violated("the channel of the " + name + " is open after both sides closed");
      }
    }
  }

  boolean isLive() {
    return !client.left && !server.left && client.connected && server.connected && client.channel.isActive() && server.channel.isActive()
      && client.ended == server.shutDown && server.ended == client.shutDown;
  }

  void checkArrived() {
    if (conversation.isCalm && !client.left && !server.left
      && (client.shutDown && server.connected && !server.ended || server.shutDown && client.connected && !client.ended)) {
      conversation.violated("an end of output was not told: " + client.movable + "; " + server.movable);
    }
    if (isLive()) {
      client.checkArrived();
      server.checkArrived();
      conversation.count("connections that moved and live");
    }
  }

  /** Checks that the completed writes of a process that died were read. */
  void checkLeft(boolean ofClient) {
    Side dead = ofClient ? client : server;
    if (dead.peer.connected && !(conversation.isCut && dead.peer.broken) && !dead.peer.left && dead.peer.read < dead.taken) {
      conversation.violated("the " + dead.name + " died, and of " + dead.taken + " complete messages " + dead.peer.read + " arrived: "
        + dead.movable + "; at its peer: " + dead.peer.movable);
    }
  }

  void checkMoved() {
    if (conversation.isCalm && !server.left && !server.shutDown && !client.connected) {
      conversation.violated("the connect has not completed: " + client.movable);
    }
    if (isLive() && !client.shutDown && !server.shutDown && !client.movable.hasMoved()) {
      conversation.violated("the connection has not moved: " + client.movable);
    }
  }

  void checkOver() {
    client.checkOver();
    if (server.connected) {
      server.checkOver();
    }
  }
}
