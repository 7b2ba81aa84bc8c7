package io.github.vertxrdma.cli;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.process.LivenessSocket;
import io.github.vertxrdma.provider.EndpointAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** TCP ports of a node in the directory. A connect to each shows what a firewall permits. */
final class PeerPorts {
  private static final String SERVER = "tcp/";
  private static final int TIMEOUT_MILLIS = 2_000;

  /**
   * @param use {@code control}, {@code server}, or the fabric that listens at the port
   * @param answer {@code reachable}, or the reason why not
   */
  record Port(String nodeId, String use, String address, String answer) {
  }

  private PeerPorts() {
  }

  /**
   * Connects to all ports of a node.
   *
   * @param services services of all nodes
   * @param sockets fabrics whose addresses are TCP ports
   */
  static List<Port> of(NodeEntry self, NodeEntry node, List<ServiceEntry> services, Set<String> sockets) {
    Map<InetSocketAddress, String> uses = new LinkedHashMap<>();
    if (node.controlPort() > 0) {
      uses.put(new InetSocketAddress(node.controlHost(), node.controlPort()), "control");
    }
    List<ServiceEntry> own = services.stream().filter(service -> service.nodeId().equals(node.nodeId())).toList();
    Stream.concat(node.addresses().stream(), own.stream().flatMap(service -> service.addresses().stream()))
      .filter(address -> sockets.contains(address.fabric()) && address.address().format().equals(EndpointAddress.INET))
      .forEach(address -> uses.putIfAbsent(address.address().toInet(), address.fabric()));
    boolean sameHost = LivenessSocket.sameHost(self.process(), node.process());
    own.stream().map(ServiceEntry::name).filter(name -> name.startsWith(SERVER)).map(PeerPorts::server)
      .filter(address -> sameHost || !address.getAddress().isLoopbackAddress()).forEach(address -> uses.putIfAbsent(address, "server"));
    return probe(node.nodeId(), uses);
  }

  private static InetSocketAddress server(String name) {
    int colon = name.lastIndexOf(':');
    return new InetSocketAddress(InetAddress.ofLiteral(name.substring(SERVER.length(), colon)),
      Integer.parseInt(name.substring(colon + 1)));
  }

  private static List<Port> probe(String nodeId, Map<InetSocketAddress, String> uses) {
    List<Future<Port>> probes = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      uses.forEach((address, use) -> probes.add(threads.submit(() -> new Port(nodeId, use, text(address), answer(address)))));
    }
    return probes.stream().map(Future::resultNow).toList();
  }

  private static String text(InetSocketAddress address) {
    String host = address.getHostString();
    return (host.contains(":") ? '[' + host + ']' : host) + ':' + address.getPort();
  }

  /** Connects and closes. A node does not count this as a connection. */
  static String answer(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, TIMEOUT_MILLIS);
      return "reachable";
    } catch (SocketTimeoutException e) {
      return "no answer within " + TIMEOUT_MILLIS + " ms; a firewall may drop the packets";
    } catch (ConnectException e) {
      return "refused: nothing listens there, or a firewall rejects it (" + e.getMessage() + ")";
    } catch (IOException e) {
      return "not reachable: " + e.getMessage();
    }
  }
}
