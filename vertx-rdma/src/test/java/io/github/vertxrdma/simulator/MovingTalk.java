package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.transport.SimulatedTcp;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/**
 * A connection of the event bus from one node to another: numbered messages in one direction, of which those without a body are answered
 * with a byte. The server reads them from as many channels as the client used.
 */
final class MovingTalk {
  private static final int LENGTH = Integer.BYTES;
  private static final int LARGEST = 1 << 20;

  final int number;
  final SimulatedTcp tcp;
  DuplexChannel client;
  boolean known;
  boolean connected;
  boolean left;
  private DuplexChannel byTcp;
  private DuplexChannel byFabric;
  private final MovingConversation conversation;
  private int written;
  private int taken;
  private int read;
  private int writing;
  private int pings;
  private int answers;
  private boolean broken;

  MovingTalk(MovingConversation conversation, int number, SimulatedTcp tcp) {
    this.conversation = conversation;
    this.number = number;
    this.tcp = tcp;
  }

  private DuplexChannel set(DuplexChannel channel) {
    channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0);
    channel.config().setAllocator(conversation.allocator);
    return channel;
  }

  void client(DuplexChannel channel) {
    client = set(channel);
    client.pipeline().addLast(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelActive(ChannelHandlerContext context) {
        connected = true;
      }

      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        answers += ((ByteBuf) message).readableBytes();
        ((ByteBuf) message).release();
        if (answers > pings) {
          conversation.violated(answers + " answers to " + pings + " pings");
        }
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        conversation.trace.say(cause);
      }
    });
  }

  void write(int size, boolean flush) {
    ByteBuf bytes = conversation.allocator.heapBuffer(2 * LENGTH + size);
    bytes.writeInt(LENGTH + size).writeInt(written);
    for (int i = 0; i < size; i++) {
      bytes.writeByte(value(written, i));
    }
    int place = written++;
    writing++;
    pings += size == 0 ? 1 : 0;
    bytes.retain();
    (flush ? client.writeAndFlush(bytes) : client.write(bytes)).addListener(done -> {
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

  private byte value(int message, int place) {
    return (byte) (number * 7 + message * 31 + place);
  }

  DuplexChannel server(DuplexChannel channel, boolean fabric) {
    byTcp = fabric ? byTcp : channel;
    byFabric = fabric ? channel : byFabric;
    set(channel).pipeline().addLast(new LengthFieldBasedFrameDecoder(LARGEST, 0, LENGTH, 0, LENGTH), new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        read((ByteBuf) message);
        if (!((ByteBuf) message).isReadable()) {
          context.writeAndFlush(context.alloc().heapBuffer(1).writeByte(1));
        }
        ((ByteBuf) message).release();
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        conversation.trace.say(cause);
        broken = true;
      }
    });
    return channel;
  }

  void loseFabric() {
    if (byFabric != null && byFabric.isRegistered()) {
      broken = true;
      byFabric.close();
    }
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
      if (message.getByte(message.readerIndex() + i) != value(found, i)) {
        conversation.violated("byte " + i + " of message " + found + " is none that was written there");
      }
    }
    // The readable bytes remain: they show whether there was a body.
  }

  void checkArrived() {
    if (connected && client.isActive()) {
      if (read != written || taken != written || answers != pings) {
        conversation.violated(read + " messages were read, " + taken + " taken and " + answers + " of " + pings + " pings answered, of "
          + written);
      }
      if (byTcp.isOpen()) {
        conversation.violated("the connection has not moved");
      }
      conversation.count("connections that moved and live");
    }
  }

  void checkLeft() {
    if (!broken && read < taken) {
      conversation.violated("the client died, and of " + taken + " complete messages " + read + " arrived");
    }
  }

  /**
   * Checks that everything arrived that TCP has taken, also on a connection that was lost, when both processes live. A connection that the
   * client closed may have reset TCP, since answers were not read.
   */
  void checkTaken() {
    if (!left && tcp.unread() > 0) {
      conversation.violated(tcp.unread() + " bytes of completed writes by TCP did not arrive");
    }
  }

  void checkOver() {
    if (writing > 0) {
      conversation.violated(writing + " writes never completed");
    }
    if (client.isOpen()) {
      conversation.violated("a channel is open that was closed");
    }
  }
}
