package io.github.vertxrdma.provider.contract.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Random;

/** Connects over nio from many addresses, proves nothing, and connects again when the other side closes. */
public final class NioFlood implements AutoCloseable {
  public static final String NETWORK = "127.7.0.";
  public static final int NETWORKS = 40;
  /** Number of connections from one address. */
  public static final int OF_EACH = 50;
  public static final int COUNT = NETWORKS * OF_EACH;

  private final InetSocketAddress to;
  private final String network;
  private final int addresses;
  private final Selector selector = Selector.open();
  private final Thread thread = new Thread(this::run, "flood");
  private volatile boolean closed;
  private volatile int sent;

  public NioFlood(int port) throws IOException {
    this(port, NETWORK, NETWORKS);
  }

  /** @param network beginning of the flood's addresses, before their last number */
  public NioFlood(int port, String network, int addresses) throws IOException {
    this.network = network;
    this.addresses = addresses;
    to = new InetSocketAddress("127.0.0.1", port);
    thread.start();
  }

  private void connect(int number) throws IOException {
    SocketChannel socket = SocketChannel.open();
    socket.configureBlocking(false);
    socket.bind(new InetSocketAddress(network + (1 + number % addresses), 0));
    socket.connect(to);
    socket.register(selector, SelectionKey.OP_CONNECT, number);
  }

  /** Returns a CONNECT frame of nio with a valid request of a link. */
  private static ByteBuffer request() {
    byte[] random = new byte[40];
    new Random().nextBytes(random);
    ByteBuffer frame = ByteBuffer.allocate(100).put((byte) 1).position(16).putLong(0x7672_646d_616e_696fL).putInt(0x0202).putInt(0)
      .putLong(16).putLong(44).putLong(0);
    return frame.putInt(0x56050400).put(random).flip();
  }

  private void run() {
    try {
      for (int i = 0; i < COUNT; i++) {
        connect(i);
      }
      while (!closed) {
        selector.select(this::ready, 100);
      }
      for (SelectionKey each : selector.keys()) {
        each.channel().close();
      }
      selector.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void ready(SelectionKey key) {
    SocketChannel socket = (SocketChannel) key.channel();
    try {
      if (key.isConnectable() && socket.finishConnect()) {
        socket.write(request());
        sent++;
        key.interestOps(SelectionKey.OP_READ);
      } else if (socket.read(ByteBuffer.allocate(4096)) < 0) {
        throw new IOException("the other side closed");
      }
    } catch (IOException e) {
      try {
        socket.close();
        connect((Integer) key.attachment());
      } catch (IOException again) {
        throw new IllegalStateException(again);
      }
    }
  }

  /** Returns the number of requests up to now. */
  public int sent() {
    return sent;
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
