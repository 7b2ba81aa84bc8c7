package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(10)
class VersionRangeTest {

  @ParameterizedTest
  @CsvSource({"4, 5, 5, 6, 5", "5, 6, 4, 5, 5", "3, 7, 4, 5, 5", "5, 5, 5, 5, 5", "4, 5, 6, 7, 0", "6, 7, 4, 5, 0", "4, 5, 5, 4, 0",
    "1, 5, 0, 0, 0", "1, 255, 7, 3, 0"})
  void commonReturnsHighestVersionOfBothOrZero(int lowest, int highest, int peersLowest, int peersHighest, int expected) {
    VersionRange range = new VersionRange(lowest, highest);
    VersionRange peer = new VersionRange(peersLowest, peersHighest);
    assertEquals(expected, range.common(peer));
    assertEquals(expected, peer.common(range));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "4, 5", "0, 255", "255, 0"})
  void wordAndTextKeepTheRange(int lowest, int highest) {
    VersionRange range = new VersionRange(lowest, highest);
    assertEquals(range, VersionRange.of(range.word()));
    assertEquals(range, VersionRange.of(0x7672_646d_0000L | range.word()));
    assertEquals(range, VersionRange.parse(range.text()));
  }

  @ParameterizedTest
  @CsvSource({"''", "1", "-", "a-b", "1-", "-1-2", "1-2147483648"})
  void parseOfAnotherTextHasNothingInCommonWithAnyRange(String text) {
    assertEquals(0, new VersionRange(1, 255).common(VersionRange.parse(text)));
  }

  @Test
  void refusalNamesBothRangesAndTheRemedy() {
    assertEquals("the peer has version 7 of the protocol of links, and this node has versions 4 to 5. Upgrade the node with the older"
      + " vertx-rdma",
      new VersionRange(4, 5).refusal("the peer", "the protocol of links", VersionRange.only(7)));
  }
}
