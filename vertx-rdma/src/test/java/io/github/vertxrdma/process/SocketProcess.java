package io.github.vertxrdma.process;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A process with a stock server or client of sockets. The server reads when it gets a line on its standard input, or at once if its second
 * argument is {@link #READING}. The client writes {@link #BYTES}, and stays. Both print their log.
 */
public final class SocketProcess {
  static final String SERVES = "serves ";
  static final String CONNECTED = "connected";
  static final String WRITTEN = "written";
  static final String READING = "reading";
  static final String PAUSED = "paused";
  static final String EXCEPTION = "exception ";
  static final String CLOSED = "closed after ";
  static final String ENDED = "ended after ";
  static final String LOGGED = "logged ";
  static final int BYTES = 250 << 10;
  private static final int WRITE = 10_000;

  private static final Logger ROOT = Logger.getLogger("");
  private static NetClient client;

  private SocketProcess() {
  }

  /** Arguments: a port for a client, {@code -} for a server; how the server reads; then system properties as {@code name=value}. */
  public static void main(String... arguments) {
    for (int i = 2; i < arguments.length; i++) {
      String[] property = arguments[i].split("=", 2);
      System.setProperty(property[0], property[1]);
    }
    ROOT.addHandler(new Handler() {
      @Override
      public void publish(LogRecord record) {
        if (!StockProcess.isOfBusyMachine(record)) {
          System.out.println(LOGGED + record.getLevel() + ' ' + record.getMessage());
        }
      }

      @Override
      public void flush() {
      }

      @Override
      public void close() {
      }
    });
    Vertx vertx = Vertx.vertx();
    if (arguments[0].equals("-")) {
      serve(vertx, arguments[1].equals(PAUSED));
    } else {
      // A client without references closes its connections.
      client = vertx.createNetClient();
      client.connect(Integer.parseInt(arguments[0]), "127.0.0.1").onComplete(SocketProcess::write, Throwable::printStackTrace);
    }
  }

  private static void serve(Vertx vertx, boolean paused) {
    AtomicReference<NetSocket> accepted = new AtomicReference<>();
    vertx.createNetServer().connectHandler(socket -> {
      accepted.set(socket);
      if (paused) {
        socket.pause();
      }
      int[] read = {0};
      socket.handler(bytes -> {
        for (int i = 0; i < bytes.length(); i++) {
          if (bytes.getByte(i) != value(read[0]++)) {
            throw new IllegalStateException("byte " + (read[0] - 1) + " is wrong");
          }
        }
      });
      socket.exceptionHandler(cause -> System.out.println(EXCEPTION + cause));
      socket.endHandler(v -> System.out.println(ENDED + read[0]));
      socket.closeHandler(v -> System.out.println(CLOSED + read[0]));
      System.out.println(CONNECTED);
    }).listen(0, "127.0.0.1").onComplete(server -> System.out.println(SERVES + server.actualPort()), Throwable::printStackTrace);
    Scanner input = new Scanner(System.in);
    while (input.hasNextLine()) {
      input.nextLine();
      accepted.get().resume();
    }
  }

  private static byte value(int place) {
    return (byte) (place * 31 + (place >> 8));
  }

  private static void write(NetSocket socket) {
    int written = 0;
    while (written < BYTES) {
      Buffer bytes = Buffer.buffer();
      for (int end = Math.min(BYTES, written + WRITE); written < end; written++) {
        bytes.appendByte(value(written));
      }
      if (written < BYTES) {
        socket.write(bytes).onFailure(Throwable::printStackTrace);
      } else {
        socket.write(bytes).onComplete(v -> System.out.println(WRITTEN), Throwable::printStackTrace);
      }
    }
  }
}
