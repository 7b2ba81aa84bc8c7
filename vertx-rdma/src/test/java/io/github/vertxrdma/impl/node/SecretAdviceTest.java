package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SecretAdviceTest {

  @Test
  void namesTheNodeAndTheRemedyButNoSecret() {
    ClusterSecret secret = ClusterSecret.of("the same on all nodes".getBytes());
    NodeEntry self = NodeEntry.local("a", 1).withSecretId(secret.id());
    assertTrue(SecretAdvice.advice(self, self, secret).isEmpty());
    assertTrue(SecretAdvice.advice(self, NodeEntry.local("b", 1), secret).isEmpty());
    String advice = SecretAdvice.advice(self, NodeEntry.local("b", 1).withSecretId("0123"), secret).orElseThrow();
    assertTrue(advice.contains("Node b") && advice.contains(ClusterSecret.FILE_VARIABLE), advice);
    assertFalse(advice.contains("the same on all nodes"), advice);
  }

  @Test
  void adviceSaysWhySecretsOfOneUserDiffer() throws Exception {
    ClusterSecret secret = ClusterSecret.load(null);
    assumeTrue(secret.local(), "SKIPPED: this process has a configured secret");
    NodeEntry self = NodeEntry.local("a", 1).withSecretId(secret.id());
    NodeEntry here = self.withProcess(self.process().withFolder("2b:6"));
    NodeEntry peer = NodeEntry.local("b", 1).withSecretId("0123");
    String removed = SecretAdvice.advice(here, peer.withProcess(here.process()), secret).orElseThrow();
    assertTrue(removed.contains("the file was removed"), removed);
    String elsewhere = SecretAdvice.advice(here, peer.withProcess(here.process().withFolder("2b:7")), secret).orElseThrow();
    assertTrue(elsewhere.contains("2b:7") && elsewhere.contains("2b:6") && elsewhere.contains("PrivateTmp="), elsewhere);
  }
}
