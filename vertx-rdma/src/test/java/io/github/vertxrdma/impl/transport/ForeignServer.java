package io.github.vertxrdma.impl.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A server of the JDK that shares its port with servers on the wildcard address, and logs the input of each connection. */
final class ForeignServer implements AutoCloseable {
  static final String ONE_SHOT = "from X";

  private final ServerSocketChannel server = ServerSocketChannel.open();
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Protocol protocol;
  private final SSLContext tls;

  enum Protocol {
    HTTP,
    TLS,
    ONE_SHOT
  }

  /** @param key PKCS #12 file with the password "changeit", for TLS */
  ForeignServer(String host, int port, Protocol protocol, Path key) throws Exception {
    this.protocol = protocol;
    this.tls = key == null ? null : context(key);
    server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    server.setOption(StandardSocketOptions.SO_REUSEPORT, true);
    server.bind(new InetSocketAddress(host, port));
    Thread.ofPlatform().daemon().name("foreign-server").start(this::accept);
  }

  private static SSLContext context(Path key) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(key)) {
      store.load(in, "changeit".toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, "changeit".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  int port() throws IOException {
    return ((InetSocketAddress) server.getLocalAddress()).getPort();
  }

  List<String> log() {
    return log;
  }

  private void accept() {
    while (server.isOpen()) {
      try (Socket socket = server.accept().socket()) {
        log.add(serve(socket));
      } catch (IOException e) {
        log.add("failed: " + e);
      }
    }
  }

  /** @return the connection's input, and how it ended */
  private String serve(Socket socket) throws IOException {
    if (protocol == Protocol.ONE_SHOT) {
      socket.getOutputStream().write(ONE_SHOT.getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      return "one shot, received " + socket.getInputStream().readAllBytes().length + " bytes";
    }
    Socket plain = tls == null ? socket : secured(socket);
    StringBuilder request = new StringBuilder();
    InputStream in = plain.getInputStream();
    while (!request.toString().endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        return "ended after '" + request + "'";
      }
      request.append((char) next);
    }
    OutputStream out = plain.getOutputStream();
    out.write(("HTTP/1.1 200 OK\r\ncontent-length: " + ONE_SHOT.length() + "\r\n\r\n" + ONE_SHOT).getBytes(StandardCharsets.US_ASCII));
    out.flush();
    return request.toString().lines().findFirst().orElse("") + ", then " + in.readAllBytes().length + " bytes";
  }

  private Socket secured(Socket socket) throws IOException {
    SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, true);
    secured.startHandshake();
    return secured;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
