package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.transport.SimulatedChannels;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;

/**
 * One end of a conversation over channels. It writes bytes that depend on their place, and checks received bytes. Confined to the loop of
 * the channel.
 */
final class ChannelEnd extends ChannelInboundHandlerAdapter {
  final RegionMember member;
  final DuplexChannel channel;
  private final ChannelConversation conversation;
  private final ChannelEnd[] talk;
  private final int side;
  private final int salt;
  private long written;
  private long taken;
  private long read;
  private int writing;
  private boolean closedHere;
  private boolean broken;
  private boolean ended;
  private boolean connected;
  boolean over;
  private boolean readsToTheEnd;

  ChannelEnd(ChannelConversation conversation, int number, ChannelEnd[] talk, int side, RegionMember member, DuplexChannel channel) {
    this.conversation = conversation;
    this.talk = talk;
    this.side = side;
    this.salt = number * 7;
    this.member = member;
    this.channel = channel;
    talk[side] = this;
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, conversation.chance(2));
    channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0);
    channel.config().setAllocator(conversation.allocator);
    channel.pipeline().addLast(this);
  }

  private ChannelEnd peer() {
    return talk[1 - side];
  }

  void write(int size, boolean flush) {
    ByteBuf bytes = conversation.allocator.heapBuffer(size, size);
    for (int i = 0; i < size; i++) {
      bytes.writeByte(value(written + i, side));
    }
    written += size;
    writing++;
    bytes.retain();
    (flush ? channel.writeAndFlush(bytes) : channel.write(bytes)).addListener(done -> {
      writing--;
      if (bytes.refCnt() > 1) {
        conversation.violated("a write completed while its buffer was in use");
      }
      bytes.release();
      conversation.trace.note("written", member.number, size, done.isSuccess() ? 1 : 0);
      if (done.isSuccess()) {
        taken += size;
      }
    });
  }

  private byte value(long place, int of) {
    return (byte) (salt + of + place + (place >> 8) * 31);
  }

  void reading(boolean on) {
    readsToTheEnd &= on;
    channel.config().setAutoRead(on);
  }

  void shutdownOutput() {
    channel.shutdownOutput();
  }

  void close() {
    closedHere = true;
    readsToTheEnd &= over;
    channel.close();
  }

  boolean isConnected() {
    return connected;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    connected = true;
    context.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    conversation.trace.note("read", member.number, read, bytes.readableBytes());
    if (ended || over) {
      conversation.violated("bytes behind the end");
    }
    while (bytes.isReadable()) {
      if (bytes.readByte() != value(read, 1 - side)) {
        conversation.violated("byte " + read + " is none that was written there");
      }
      read++;
    }
    conversation.count("bytes read", bytes.writerIndex());
    bytes.release();
    if (read > peer().written) {
      conversation.violated(read + " bytes were read, " + peer().written + " written");
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      ended();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    conversation.trace.say(cause);
    broken = true;
    if (written == taken && SimulatedChannels.isEndOfPeer(cause)) {
      conversation.violated("the end of a peer that had taken all writes is an exception");
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (over) {
      conversation.violated("over twice");
    }
    if (!closedHere && !broken && !ended) {
      ended();
    }
    over = true;
  }

  private void ended() {
    conversation.trace.note("ended", member.number, read, peer() == null ? -1 : peer().taken);
    if (ended) {
      conversation.violated("ended twice");
    }
    ended = true;
    conversation.count("orderly ends");
    check();
  }

  void check() {
    if (ended && read < peer().taken) {
      conversation
        .violated("the end came after " + read + " bytes, " + peer().taken + " of " + peer().written + " were told to be written");
    }
  }

  void peerDied() {
    readsToTheEnd = connected && !over && !broken && !closedHere && channel.config().isAutoRead();
  }

  void checkArrived() {
    if (readsToTheEnd) {
      conversation.count("ends of a process");
      if (read < peer().taken) {
        conversation.violated("the peer died, and of " + peer().taken + " bytes whose writes were complete " + read + " arrived");
      }
    }
  }

  void checkWritten() {
    if (writing > 0 && !peer().member.dead) {
      conversation.violated(writing + " writes wait for a peer that reads");
    }
  }

  void checkOver() {
    if (writing > 0) {
      conversation.violated(writing + " writes never completed");
    }
    if (channel.isOpen()) {
      conversation.violated("a channel is open that was closed");
    }
  }
}
