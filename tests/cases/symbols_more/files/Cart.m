#import <Foundation/Foundation.h>
#import "Line.h"

#define TWICE(x) ((x) * 2)

@interface Cart : NSObject <Priced>
@property (nonatomic) int count;
- (int)total:(int)rate with:(int)extra;
+ (instancetype)make;
@end

@implementation Cart

/// Adds up.
- (int)total:(int)rate with:(int)extra {
    return rate + extra;
}

+ (instancetype)make {
    return [[Cart alloc] init];
}

- (void)dealloc {
}

@end

@protocol Priced <NSObject>
- (int)price;
@end

typedef struct {
    int x;
} Point;

// Helps.
static int helper(int a) {
    return TWICE(a);
}
