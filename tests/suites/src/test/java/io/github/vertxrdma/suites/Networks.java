package io.github.vertxrdma.suites;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Network namespaces of hosts, joined by a router. Needs root and ip(8) with veth and rules for ports. */
final class Networks implements AutoCloseable {
  private final String prefix = "vr" + ProcessHandle.current().pid() + '-';
  private final int hosts;

  Networks(int hosts) {
    this.hosts = hosts;
  }

  /** Returns why there are no networks, or null. */
  String missing() throws InterruptedException {
    List<String> commands = new ArrayList<>(List.of("ip netns add " + router(),
      "ip netns exec " + router() + " sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'",
      // Rules for ports are newer than the rest.
      "ip -n " + router() + " rule add pref 9 ipproto tcp dport 1 lookup main"));
    for (int i = 0; i < hosts; i++) {
      String in = "ip -n " + host(i) + ' ';
      String at = "ip -n " + router() + ' ';
      commands.addAll(List.of("ip netns add " + host(i), in + "link set lo up",
        at + "link add v" + i + " type veth peer name eth0 netns " + host(i), at + "addr add 10.77." + i + ".1/24 dev v" + i,
        at + "link set v" + i + " up", in + "addr add " + address(i) + "/24 dev eth0", in + "link set eth0 up",
        in + "route add default via 10.77." + i + ".1"));
    }
    return run(String.join(" && ", commands)) == 0 ? null : "it takes root, ip(8) with network namespaces, veth and rules for ports";
  }

  private String router() {
    return prefix + "router";
  }

  private String host(int host) {
    return prefix + host;
  }

  static String address(int host) {
    return "10.77." + host + ".2";
  }

  List<String> program(int host) {
    return List.of("ip", "netns", "exec", host(host));
  }

  /** Adds an address to a host's loopback interface. */
  void addLoopback(int host, String address) throws InterruptedException {
    if (run("ip -n " + host(host) + " addr add " + address + "/32 dev lo") != 0) {
      throw new IllegalStateException("cannot add the address " + address);
    }
  }

  /** Drops a host's packets, as a switch without power does. */
  void cutOff(int host) throws InterruptedException {
    rules("add", "pref 20 iif v" + host + " blackhole", "pref 21 to " + address(host) + " blackhole");
  }

  void join(int host) throws InterruptedException {
    rules("del", "pref 20", "pref 21");
  }

  void firewall(int host, int... ports) throws InterruptedException {
    for (int port : ports) {
      rules("add", "pref 10 ipproto tcp dport " + port + " lookup main", "pref 10 ipproto tcp sport " + port + " lookup main");
    }
    cutOff(host);
  }

  private void rules(String action, String... rules) throws InterruptedException {
    for (String rule : rules) {
      if (run("ip -n " + router() + " rule " + action + ' ' + rule) != 0) {
        throw new IllegalStateException("cannot " + action + " the rule " + rule);
      }
    }
  }

  private static int run(String command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
      return process.waitFor(20, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  @Override
  public void close() throws InterruptedException {
    for (int i = 0; i < hosts; i++) {
      run("ip netns del " + host(i));
    }
    run("ip netns del " + router());
  }
}
